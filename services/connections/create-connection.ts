import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { SecretCipher } from '../../adapters/encryption/secret-cipher.ts';
import { GoogleError } from '../../adapters/google-sheets/google-error.ts';
import type { GoogleSheets } from '../../adapters/google-sheets/google-sheets.ts';
import { Connection } from '../../db/entities/connections/connection.ts';
import { AppError } from '../../domain/app-error.ts';
import type { BucketAddress } from '../../domain/connections.ts';
import { MAX_CONNECTIONS } from '../../domain/limits.ts';
import type { Actor } from '../accounts/principal.ts';
import { lockTenantAsAdmin } from '../accounts/tenants/lock-tenant.ts';
import { recordAuditEvent } from '../audit-log/record-audit-event.ts';
import { sealSecret } from './sealed-secret.ts';

export const GOOGLE_TIMEOUT_MS = 15_000;
const RETRY_AFTER_SECONDS = 10;

export interface ConnectionDeps {
  em: EntityManager;
  cipher: SecretCipher;
  sheets: GoogleSheets;
}

/**
 * Stores access to an account at Google, after it was used once.
 *
 * @throws AppError FORBIDDEN, CONNECTION_REJECTED, CONNECTION_UNAVAILABLE, CONNECTION_LIMIT
 */
export async function createConnection(
  { em, cipher, sheets }: ConnectionDeps,
  actor: Actor,
  { name, refreshToken }: { name: string; refreshToken: string },
): Promise<Connection> {
  await sheets.accessToken(refreshToken, AbortSignal.timeout(GOOGLE_TIMEOUT_MS)).catch(rethrow);
  return insertConnection({ em, cipher }, actor, { provider: 'google_sheets', name, secret: refreshToken });
}

/**
 * Writes the row of a connection that was used once, with its secret sealed.
 *
 * @throws AppError FORBIDDEN, CONNECTION_LIMIT
 */
export function insertConnection(
  { em, cipher }: Pick<ConnectionDeps, 'em' | 'cipher'>,
  actor: Actor,
  given: Pick<Connection, 'provider' | 'name'> & { bucket?: BucketAddress; secret: string },
): Promise<Connection> {
  const { tenantId, userId, ...who } = actor;
  return em.transactional(async (tx) => {
    await lockTenantAsAdmin(tx, actor);
    if ((await tx.count(Connection, { tenantId })) >= MAX_CONNECTIONS) {
      throw new AppError(
        'CONNECTION_LIMIT',
        `an account has at most ${MAX_CONNECTIONS} connections; delete one first`,
      );
    }
    const connection = tx.create(Connection, {
      id: randomUUID(),
      tenantId,
      provider: given.provider,
      name: given.name,
      bucket: given.bucket ?? null,
      ...sealSecret(cipher, tenantId, given.secret),
      createdBy: userId,
      createdAt: new Date(),
    });
    await tx.persist(connection).flush();
    await recordAuditEvent(tx, {
      ...who,
      tenantId,
      type: 'connection.created',
      resource: { type: 'connection', id: connection.id },
      metadata: { provider: connection.provider },
    });
    return connection;
  });
}

/** @throws AppError that explains a failure of Google; any other error as it is */
export function rethrow(error: unknown): never {
  const timedOut = error instanceof Error && error.name === 'TimeoutError';
  if (!(error instanceof GoogleError) && !timedOut) throw error;
  if (error instanceof GoogleError && !error.retryable) {
    throw new AppError(
      'CONNECTION_REJECTED',
      `${error.message}; connect the account again`,
      {},
      { cause: error },
    );
  }
  const wait = error instanceof GoogleError ? error.retryAfterSeconds : undefined;
  const details = { retryAfterSeconds: wait ?? RETRY_AFTER_SECONDS };
  const message = timedOut ? 'Google does not answer' : error.message;
  throw new AppError('CONNECTION_UNAVAILABLE', `${message}; try again`, details, { cause: error });
}
