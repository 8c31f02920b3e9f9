import fc, { type Arbitrary } from 'fast-check';

/** Bytes, or the tokens of a text. */
type Sequence = Uint8Array | readonly string[];

/**
 * One change of a sequence. Positions count from its beginning and wrap around at its end, so that an edit applies to
 * any sequence.
 */
export type Edit<S extends Sequence> =
  | { edit: 'truncate'; at: number }
  | { edit: 'remove'; at: number; length: number }
  | { edit: 'repeat'; at: number; length: number; times: number }
  | { edit: 'move'; at: number; length: number; to: number }
  | { edit: 'insert' | 'overwrite'; at: number; content: S };

export type ByteEdits = readonly Edit<Uint8Array>[];
export type TokenEdits = readonly Edit<readonly string[]>[];

/** A longer result would measure limits of size, which other tests cover. */
const MOST_ITEMS = 2 ** 20;

/**
 * Applies edits in order; an edit that would make the sequence longer than 2^20 items is left out.
 *
 * @param concat joins pieces of the sequence
 */
export function applyEdits<S extends Sequence>(
  whole: S,
  edits: readonly Edit<S>[],
  concat: (pieces: S[]) => S,
): S {
  const slice = (from: S, start: number, end?: number): S => from.slice(start, end) as S;
  return edits.reduce((before, edit) => {
    const at = edit.at % (before.length + 1);
    const [head, tail] = [slice(before, 0, at), slice(before, at)];
    switch (edit.edit) {
      case 'truncate':
        return head;
      case 'remove':
        return concat([head, slice(tail, edit.length)]);
      case 'repeat': {
        const piece = slice(tail, 0, edit.length);
        if (before.length + piece.length * edit.times > MOST_ITEMS) return before;
        return concat([head, ...Array.from({ length: edit.times }, () => piece), tail]);
      }
      case 'move': {
        const rest = concat([head, slice(tail, edit.length)]);
        const to = edit.to % (rest.length + 1);
        return concat([slice(rest, 0, to), slice(tail, 0, edit.length), slice(rest, to)]);
      }
      case 'insert':
        return concat([head, edit.content, tail]);
      case 'overwrite':
        return concat([head, edit.content, slice(tail, edit.content.length)]);
    }
  }, whole);
}

export const mutateBytes = (bytes: Uint8Array, edits: ByteEdits): Uint8Array =>
  applyEdits<Uint8Array>(bytes, edits, (pieces) => Buffer.concat(pieces));

/**
 * Edits the tokens of a text.
 *
 * @param token a global pattern; text between its matches is a token, too
 */
export function mutateText(text: string, token: RegExp, edits: TokenEdits): string {
  const tokens: string[] = [];
  let end = 0;
  for (const { 0: match, index } of text.matchAll(token)) {
    if (index > end) tokens.push(text.slice(end, index));
    tokens.push(match);
    end = index + match.length;
  }
  if (end < text.length) tokens.push(text.slice(end));
  return applyEdits<readonly string[]>(tokens, edits, (pieces) => pieces.flat()).join('');
}

/**
 * One to eight edits.
 *
 * @param content what is inserted or overwrites
 */
function edits<S extends Sequence>(content: Arbitrary<S>): Arbitrary<Edit<S>[]> {
  const at = fc.nat(2 ** 24);
  const length = fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 1, max: 8 }) }, fc.nat(4096));
  const times = fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 1, max: 3 }) }, fc.nat(20_000));
  const edit: Arbitrary<Edit<S>> = fc.oneof(
    { weight: 1, arbitrary: fc.record({ edit: fc.constant('truncate' as const), at }) },
    { weight: 2, arbitrary: fc.record({ edit: fc.constant('remove' as const), at, length }) },
    { weight: 2, arbitrary: fc.record({ edit: fc.constant('repeat' as const), at, length, times }) },
    { weight: 2, arbitrary: fc.record({ edit: fc.constant('move' as const), at, length, to: at }) },
    { weight: 8, arbitrary: fc.record({ edit: fc.constantFrom('insert', 'overwrite'), at, content }) },
  );
  return fc.oneof(
    { weight: 2, arbitrary: fc.array(edit, { minLength: 1, maxLength: 1 }) },
    fc.array(edit, { minLength: 2, maxLength: 8 }),
  );
}

/** Numbers at which lengths, counts and offsets overflow, as binary formats write them. */
const NUMBERS = [0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff].flatMap(
  (value) => {
    const [little, big] = [Buffer.alloc(4), Buffer.alloc(4)];
    little.writeUInt32LE(value);
    big.writeUInt32BE(value);
    return [little, big, little.subarray(0, 2), little.subarray(0, 1)];
  },
);

/** Edits of the bytes of a file. */
export const byteEdits = (): Arbitrary<ByteEdits> =>
  edits<Uint8Array>(fc.oneof(fc.constantFrom(...NUMBERS), fc.uint8Array({ minLength: 1, maxLength: 16 })));

/**
 * Edits of the tokens of a text.
 *
 * @param vocabulary tokens of the format that break rules of it
 */
export const tokenEdits = (vocabulary: readonly string[]): Arbitrary<TokenEdits> =>
  edits<readonly string[]>(
    fc
      .oneof(
        { weight: 4, arbitrary: fc.constantFrom(...vocabulary) },
        fc.string({ unit: 'binary-ascii', maxLength: 8 }),
      )
      .map((token) => [token]),
  );
