import { createRequire } from 'node:module';
import type * as Zxcvbn from '@zxcvbn-ts/language-common';

const require = createRequire(import.meta.url);
let common: ReadonlySet<string> | undefined;

/** Whether a password, in lower case, is among the 50,000 most common ones. */
export function isCommonPassword(password: string): boolean {
  common ??= new Set(readDictionary()['passwords-common'].map(String));
  return common.has(password);
}

/** Loads the lists when needed: 20 MB. */
function readDictionary(): typeof Zxcvbn.dictionary {
  return (require('@zxcvbn-ts/language-common') as typeof Zxcvbn).dictionary;
}
