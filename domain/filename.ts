import { MAX_FILENAME_LENGTH } from './limits.ts';

/**
 * The stored form of a client's file name: the last part of any path, without control and direction-changing
 * characters, in NFC and of bounded length. It is display data only; no path or key is ever built from it.
 */
export function cleanFilename(given: string | undefined): string {
  const base =
    unescapeForm(given ?? '')
      .normalize('NFC')
      .split(/[/\\]/)
      .at(-1) ?? '';
  const clean = base.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '').trim();
  const bounded = [...clean].slice(0, MAX_FILENAME_LENGTH).join('');
  return bounded === '' || bounded === '.' || bounded === '..' ? 'unnamed' : bounded;
}

/** Browsers escape exactly these three characters in file names of forms. */
function unescapeForm(name: string): string {
  return name.replaceAll('%22', '"').replaceAll(/%0d/gi, '\r').replaceAll(/%0a/gi, '\n');
}
