import type { TokenKind } from './tokens.ts';

/** The emails about accounts: those with a link that works once, and notices. */
export const ACCOUNT_MAILS = {
  verify_email: { token: 'verify_email' },
  reset_password: { token: 'reset_password' },
  /** To the new address; the old one is told before. */
  change_email: { token: 'change_email' },
  invitation: { token: 'invitation' },
  /** To somebody who registers again. */
  existing_account: {},
  /** To the old address. */
  change_email_notice: {},
  password_changed: {},
  identity_linked: {},
} as const satisfies Readonly<Record<string, { token?: TokenKind }>>;
export type AccountMailKind = keyof typeof ACCOUNT_MAILS;
