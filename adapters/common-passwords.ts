import { dictionary } from '@zxcvbn-ts/language-common';

const COMMON: ReadonlySet<string> = new Set(dictionary['passwords-common'].map(String));

/** Whether a password, in lower case, is among the 50,000 most common ones. */
export function isCommonPassword(password: string): boolean {
  return COMMON.has(password);
}
