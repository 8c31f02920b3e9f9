import { createHash } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { GoogleSheets } from '../../adapters/google-sheets/google-sheets.ts';
import { ConnectionFlow } from '../../db/entities/connections/connection-flow.ts';
import type { Connection } from '../../db/entities/connections/connection.ts';
import { AppError } from '../../domain/app-error.ts';
import { CONNECTION_FLOW_SECONDS } from '../../domain/limits.ts';
import type { Actor } from '../accounts/principal.ts';
import { generateToken, hashToken } from '../accounts/account-tokens.ts';
import { createConnection, GOOGLE_TIMEOUT_MS, rethrow, type ConnectionDeps } from './create-connection.ts';

/** A request for the consent of an account's owner. */
export interface ConsentRequest {
  url: URL;
  expiresAt: Date;
}

/** Begins to connect an account: its owner consents at Google, which returns the browser to `redirectUri`. */
export async function beginConnection(
  { em, sheets }: { em: EntityManager; sheets: GoogleSheets },
  { tenantId, userId }: Pick<Actor, 'tenantId' | 'userId'>,
  { name, redirectUri }: { name: string; redirectUri: string },
): Promise<ConsentRequest> {
  const { token: state, hash: stateHash } = generateToken();
  const { token: codeVerifier } = generateToken();
  const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');
  const url = sheets.consentUrl({ state, codeChallenge, redirectUri });
  const expiresAt = new Date(Date.now() + CONNECTION_FLOW_SECONDS * 1000);
  await em.insert(ConnectionFlow, { stateHash, tenantId, userId, name, codeVerifier, expiresAt });
  return { url, expiresAt };
}

/** The parameters with which Google redirects the browser back. */
export interface ConsentReturn {
  state: string;
  code?: string | undefined;
  error?: string | undefined;
  /** The address that the flow was begun with. */
  redirectUri: string;
}

/**
 * Stores the connection that a consent was given for. Only the user who began it may finish it, once.
 *
 * @throws AppError CONNECTION_REJECTED, and those of createConnection
 */
export async function finishConnection(
  deps: ConnectionDeps,
  actor: Actor,
  { state, code, error, redirectUri }: ConsentReturn,
): Promise<Connection> {
  const [flow] = await deps.em.execute<{ name: string; code_verifier: string }[]>(
    `delete from connection_flows where state_hash = ? and tenant_id = ? and user_id = ? and expires_at > now()
     returning name, code_verifier`,
    [hashToken(state), actor.tenantId, actor.userId],
  );
  if (!flow) throw rejected('this was not begun by you, or took too long');
  if (error !== undefined || code === undefined) throw rejected('the owner of the account did not consent');
  const refreshToken = await deps.sheets
    .exchangeCode(
      { code, codeVerifier: flow.code_verifier, redirectUri },
      AbortSignal.timeout(GOOGLE_TIMEOUT_MS),
    )
    .catch(rethrow);
  return createConnection(deps, actor, { name: flow.name, refreshToken });
}

function rejected(why: string): AppError {
  return new AppError('CONNECTION_REJECTED', `${why}; begin the connection again`);
}
