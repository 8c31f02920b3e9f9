/** Divides an RTF file into what its control words and text say, byte by byte: its text is in the code page of its font. */

export type Token =
  | { kind: 'open' | 'close' }
  /** `\word5`, `\~`; `value` is undefined without a number. */
  | { kind: 'control'; word: string; value: number | undefined }
  /** Text in a code page: a byte of the file, or one that is written as `\'e9`. */
  | { kind: 'byte'; value: number };

const [OPEN, CLOSE, BACKSLASH, QUOTE, MINUS, SPACE] = [0x7b, 0x7d, 0x5c, 0x27, 0x2d, 0x20];
const LONGEST_WORD = 32;
const isLetter = (byte = 0): boolean => (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a);
const isDigit = (byte = 0): boolean => byte >= 0x30 && byte <= 0x39;

export function* tokensOf(bytes: Uint8Array): Generator<Token> {
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === OPEN) yield { kind: 'open' };
    else if (byte === CLOSE) yield { kind: 'close' };
    else if (byte === BACKSLASH) {
      const next = bytes[at + 1] ?? 0;
      if (next === QUOTE) {
        const value = Number.parseInt(String.fromCharCode(bytes[at + 2] ?? 0, bytes[at + 3] ?? 0), 16);
        if (!Number.isNaN(value)) yield { kind: 'byte', value };
        at += 3;
      } else if (isLetter(next)) {
        let end = at + 1;
        while (isLetter(bytes[end]) && end - at <= LONGEST_WORD) end += 1;
        const word = String.fromCharCode(...bytes.subarray(at + 1, end));
        const start = end;
        if (bytes[end] === MINUS && isDigit(bytes[end + 1])) end += 1;
        while (isDigit(bytes[end]) && end - start <= 10) end += 1;
        const value = end > start ? Number(String.fromCharCode(...bytes.subarray(start, end))) : undefined;
        // A space ends the word and is no text.
        at = bytes[end] === SPACE ? end : end - 1;
        // Raw bytes follow.
        if (word === 'bin') at += Math.max(0, value ?? 0);
        else yield { kind: 'control', word, value };
      } else {
        // An escaped line end is that of a paragraph.
        const word = next === 0x0a || next === 0x0d ? 'par' : String.fromCharCode(next);
        yield { kind: 'control', word, value: undefined };
        at += 1;
      }
    } else if (byte !== 0x0a && byte !== 0x0d && byte !== 0) yield { kind: 'byte', value: byte };
  }
}
