const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 24 * HOUR_SECONDS;

/** What a token from an email is for, and how many seconds it can be used. One for another purpose is refused. */
export const TOKEN_SECONDS = {
  verify_email: DAY_SECONDS,
  reset_password: HOUR_SECONDS,
  change_email: DAY_SECONDS,
  invitation: 7 * DAY_SECONDS,
} as const;
export type TokenKind = keyof typeof TOKEN_SECONDS;
export const TOKEN_KINDS = Object.keys(TOKEN_SECONDS) as TokenKind[];
