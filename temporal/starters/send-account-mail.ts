import type { Engine } from '../client.ts';

/** A mail about an account, and whom it goes to. */
export interface AccountMail {
  kind: 'invitation';
  userId: string;
  tenantId: string;
}

/**
 * Sends a mail.
 *
 * @throws EngineUnavailable
 */
export function startAccountMail(_engine: Engine, _mail: AccountMail): Promise<void> {
  return Promise.resolve();
}
