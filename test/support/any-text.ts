import fc from 'fast-check';

const piece = fc.oneof(
  fc.constantFrom(
    ...'=+-@＝＋－＠\t\r\n",;\'\\?&<>\u0001\u0007\u001b\ufffe\uffff\u0085\u2028🛶é',
    '\r\n',
    '\\.',
    '_x0041_',
    '_x005F_x000a_',
    '""',
    '?',
  ),
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
);

/** Any text that Postgres can hold, often with characters that formats must escape. */
export const anyText = fc
  .array(piece, { maxLength: 6 })
  .map((pieces) => pieces.join('').replaceAll('\0', ''));
