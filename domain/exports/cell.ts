/** Excel holds no more characters in a cell; longer texts are cut in every format. */
export const MAX_CELL_LENGTH = 32_767;

/** Text containing any of these is sanitised; all other text is left unchanged. */
// oxlint-disable-next-line no-control-regex
const NOT_PLAIN = /[\0-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]/;
/** Characters invalid in XML 1.0, besides lone surrogates. */
// oxlint-disable-next-line no-control-regex
const NOT_IN_XML = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g;

/** Text that every format can hold: LF line ends, at most the length of a cell. */
export function plainText(text: string): string {
  if (text.length <= MAX_CELL_LENGTH && !NOT_PLAIN.test(text)) return text;
  const plain = text.toWellFormed().replaceAll(/\r\n?/g, '\n').replaceAll(NOT_IN_XML, '');
  return plain.length <= MAX_CELL_LENGTH ? plain : withoutHalf(plain.slice(0, MAX_CELL_LENGTH));
}

/** Removes a surrogate half left at the end by truncation. */
function withoutHalf(text: string): string {
  return text.isWellFormed() ? text : text.slice(0, -1);
}
