/** The emails about accounts: notices, and emails with a link that works once. */
export const ACCOUNT_MAILS = {
  verify_email: { token: 'verify_email' },
  reset_password: { token: 'reset_password' },
  /** To the new address, after a notice to the old one. */
  change_email: { token: 'change_email' },
  invitation: { token: 'invitation' },
  /** To the owner of an address that is registered again. */
  existing_account: {},
  /** To the old address. */
  change_email_notice: {},
  password_changed: {},
  /** To a user who had none. */
  password_set: {},
  /** To the address that the user had. */
  account_deleted: {},
  identity_linked: {},
  /** To the admins of a tenant when the service disables one of its webhooks. */
  webhook_disabled: {},
} as const satisfies Readonly<Record<string, { token?: TokenKind }>>;
export type AccountMailKind = keyof typeof ACCOUNT_MAILS;

const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 24 * HOUR_SECONDS;

/** The purposes of tokens in emails, with their validity in seconds. A token is refused for any other purpose. */
export const TOKEN_SECONDS = {
  verify_email: DAY_SECONDS,
  reset_password: HOUR_SECONDS,
  change_email: DAY_SECONDS,
  invitation: 7 * DAY_SECONDS,
} as const;
export type TokenKind = keyof typeof TOKEN_SECONDS;
export const TOKEN_KINDS = Object.keys(TOKEN_SECONDS) as TokenKind[];
