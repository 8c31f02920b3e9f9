import protobuf from 'protobufjs';

/** The parts of sentencepiece_model.proto that are read. */
const { root } = protobuf.parse(`syntax = "proto2"; package sentencepiece;
  message ModelProto { repeated SentencePiece pieces = 1; }
  message SentencePiece { optional string piece = 1; optional float score = 2; optional int32 type = 3; }`);
const MODEL = root.lookupType('sentencepiece.ModelProto');

const UNKNOWN = 0;
const BEGIN = 1;
const END = 2;
/** A normal piece, and one that a user has added; the others stand for no text. */
const TEXT = new Set([1, 4]);
/** How much less likely an unknown letter is than the rarest piece. */
const PENALTY = 10;

/**
 * Divides texts into the pieces of a SentencePiece model that are most likely together, as the numbers of its vocabulary,
 * with those of begin and end; none for a text without a known piece.
 *
 * @param model the bytes of the `.model` file
 */
export function createUnigramTokenizer(model: Uint8Array): (text: string, most: number) => number[] {
  const { pieces } = MODEL.toObject(MODEL.decode(model), { defaults: true }) as {
    pieces: { piece: string; score: number; type: number }[];
  };
  const scores = Float32Array.from(pieces, ({ score }) => score);
  const unknown = scores.reduce((least, score) => Math.min(least, score), 0) - PENALTY;
  const ids = new Map<string, number>();
  let longest = 1;
  for (const [id, { piece, type }] of pieces.entries()) {
    if (!TEXT.has(type || 1)) continue;
    ids.set(piece, id);
    longest = Math.max(longest, piece.length);
  }

  const separator = ids.get('▁');
  return (given, most) => {
    const text = `▁${given.normalize('NFKC').trim().replaceAll(/\s+/g, '▁')}`;
    const best = new Float64Array(text.length + 1).fill(-Infinity);
    const piece = new Int32Array(text.length + 1);
    const begin = new Int32Array(text.length + 1);
    best[0] = 0;
    for (let from = 0; from < text.length; from++) {
      const before = best[from] ?? -Infinity;
      if (before === -Infinity) continue;
      const letter = (text.codePointAt(from) ?? 0) > 0xffff ? 2 : 1;
      for (let to = from + letter; to <= Math.min(text.length, from + longest); to++) {
        const id = ids.get(text.slice(from, to));
        if (id === undefined && to > from + letter) continue;
        const score = before + (id === undefined ? unknown : (scores[id] ?? 0));
        if (score <= (best[to] ?? 0)) continue;
        best[to] = score;
        piece[to] = id ?? UNKNOWN;
        begin[to] = from;
      }
    }
    const found: number[] = [];
    for (let to = text.length; to > 0; to = begin[to] ?? 0) found.push(piece[to] ?? UNKNOWN);
    if (!found.some((id) => id !== UNKNOWN && id !== separator)) return [];
    return [BEGIN, ...found.toReversed().slice(0, most - 2), END];
  };
}
