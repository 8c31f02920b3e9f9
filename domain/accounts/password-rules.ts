/** In user-perceived characters, after normalisation. */
export const MIN_PASSWORD_LENGTH = 8;
export const MAX_PASSWORD_LENGTH = 128;

/** White space and invisible characters. */
const BLANK_ENDS = /^[\s\p{Default_Ignorable_Code_Point}]+|[\s\p{Default_Ignorable_Code_Point}]+$/gu;

/**
 * The form in which a password is hashed: the same keys give the same text on every system (Unicode NFKC, as NIST SP
 * 800-63B advises). Nothing is trimmed or truncated.
 */
export function normalisePassword(password: string): string {
  return password.normalize('NFKC');
}

/** Why a password is rejected, by OWASP's advice: length, equal to the email, or common; no rules of composition. */
export function refusePassword(
  password: string,
  { email, isCommon }: { email: string; isCommon: (password: string) => boolean },
): string | undefined {
  const chosen = normalisePassword(password);
  const { length } = [...chosen];
  const [...inner] = chosen.replaceAll(BLANK_ENDS, '');
  if (inner.length < MIN_PASSWORD_LENGTH) {
    return `at least ${MIN_PASSWORD_LENGTH} characters, without the spaces around them`;
  }
  if (length > MAX_PASSWORD_LENGTH) return `at most ${MAX_PASSWORD_LENGTH} characters`;
  const lower = chosen.toLowerCase();
  if (lower === email.toLowerCase() || lower === email.toLowerCase().split('@')[0]) {
    return 'must not be your email address';
  }
  if (isCommon(lower)) return 'is one of the most common passwords; choose another';
  return undefined;
}
