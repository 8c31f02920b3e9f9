import type { AccountMailKind } from '../../domain/accounts/mails.ts';

export interface AccountMail {
  kind: AccountMailKind;
  /** Of nobody for an address that is unknown: then nothing is sent. */
  userId: string;
  /** Of an invitation. */
  tenantId?: string;
}

/**
 * `sendAccountMail`, id `mail/{kind}/{user_id}/{uuid}`, queue `workflows`: sends a mail about an account, retried for a
 * day. Its history holds ids only: the activity reads the address and makes the token when it sends.
 */
export interface AccountMailToSend extends AccountMail {
  /** Kept when the mail is sent again. */
  mailId: string;
}
