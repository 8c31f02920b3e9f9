/** The places of initials, vowels and finals among the 32 codes of each; a dot is none of them. */
const [INITIALS, VOWELS, FINALS] = [
  '..0123456789abcdefghi',
  '...01234..56789a..bcdefg..hijk',
  '.0123456789abcdefg.hijklmnopqr',
].map((places) => [...places].map((place) => (place === '.' ? undefined : Number.parseInt(place, 36))));

/** Korean syllables of Windows' code page 1361 (KS X 1001, annex 3), in which each letter has five bits; single letters and other signs of it are U+FFFD. */
export function decodeJohab(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at++) {
    const high = bytes[at] ?? 0;
    if (high < 0x80) {
      text += String.fromCharCode(high);
      continue;
    }
    at += 1;
    const code = (high << 8) | (bytes[at] ?? 0);
    const [initial, vowel, final] = [
      INITIALS?.[(code >> 10) & 31],
      VOWELS?.[(code >> 5) & 31],
      FINALS?.[code & 31],
    ];
    text +=
      initial === undefined || vowel === undefined || final === undefined
        ? '\uFFFD'
        : String.fromCharCode(0xac00 + (initial * 21 + vowel) * 28 + final);
  }
  return text;
}
