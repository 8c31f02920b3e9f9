import type { AccountMailKind } from '../../domain/accounts/tokens.ts';

export interface AccountMail {
  kind: AccountMailKind;
  /** For an unknown address a random id: nothing is sent, and the caller sees no difference. */
  userId: string;
  /** Tenant of an invitation or a webhook; absent for other emails. */
  tenantId?: string;
  /** The webhook that was disabled. */
  webhookId?: string;
}

/**
 * `sendAccountMail`, id `mail/{kind}/{user_id}/{uuid}`, queue `workflows`: sends an email about an account, retried for
 * a day. Its history holds ids only: the activity reads the address and makes the token when it sends.
 */
export interface AccountMailToSend extends AccountMail {
  /** Kept when the email is sent again. */
  mailId: string;
}
