import type { AccountMailKind } from '../../domain/accounts/tokens.ts';

/**
 * `sendAccountMail`, id `mail/{kind}/{user_id}/{uuid}`, queue `workflows`: sends an email about an account, retried for a
 * day. Its history holds ids only: the activity reads the address and makes the token when it sends.
 */
export const SEND_ACCOUNT_MAIL = 'sendAccountMail';

export interface AccountMail {
  kind: AccountMailKind;
  /** Of nobody for an address that is unknown: then nothing is sent. */
  userId: string;
  /** Of an invitation. */
  tenantId?: string;
}

/** One email, which keeps its id when it is sent again. */
export interface AccountMailToSend extends AccountMail {
  mailId: string;
}
