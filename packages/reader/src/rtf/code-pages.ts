/** Names of the code pages that differ from `windows-` and their number. */
const PAGES: Readonly<Record<number, string>> = {
  437: 'cp437',
  708: 'iso-8859-6',
  850: 'cp850',
  852: 'cp852',
  866: 'ibm866',
  874: 'windows-874',
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  1361: 'johab',
  10_000: 'macintosh',
  10_001: 'shift_jis',
  10_007: 'x-mac-cyrillic',
  54_936: 'gb18030',
  65_001: 'utf-8',
};
/** Code pages by the character set of a font. */
const CHARSETS: Readonly<Record<number, number>> = {
  0: 1252,
  77: 10_000,
  78: 10_001,
  128: 932,
  129: 949,
  130: 1361,
  134: 936,
  136: 950,
  161: 1253,
  162: 1254,
  163: 1258,
  177: 1255,
  178: 1256,
  186: 1257,
  204: 1251,
  222: 874,
  238: 1250,
  254: 437,
  255: 850,
};
/** The set of fonts of symbols, whose characters have no code page. */
export const SYMBOLS = 2;

/** The name of a code page; undefined for an unknown one. */
export function codePage(number: number): string | undefined {
  return PAGES[number] ?? (number >= 1250 && number <= 1258 ? `windows-${number}` : undefined);
}

/** The name of the code page of a font's character set; undefined for that of the document. */
export function pageOfCharset(charset: number): string | undefined {
  const page = CHARSETS[charset];
  return page === undefined ? undefined : codePage(page);
}
