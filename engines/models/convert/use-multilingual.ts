import { encodeModel } from '../../onnx/encode-model.ts';
import { createGraphBuilder } from './graph-builder.ts';
import { readNpz, weightOf } from './read-weights.ts';

/** Numbers of a token. */
export const TOKEN_WIDTH = 512;
const WIDTH = 256;
const EPSILON = 1e-12;
/** Lengths of the sequences of tokens that the model looks at, and the tokens before the one in question. */
const SEQUENCES = [
  { length: 2, before: 0 },
  { length: 3, before: 1 },
  { length: 5, before: 2 },
] as const;
/** The end of a tensor, whatever its size. */
const END = 2 ** 31 - 1;

type Weights = ReturnType<typeof readNpz>;

/**
 * The multilingual Universal Sentence Encoder (version 3, convolutions) from an `.npz` file of its weights: `tokens`, n × 512,
 * the vectors of the tokens of one text, into `vector`, of length 1. The table of tokens is a file of its own, of which
 * a text needs a few rows.
 */
export function convertUseMultilingual([file]: readonly Buffer[]): Record<string, Uint8Array> {
  const weights = readNpz(file ?? Buffer.alloc(0));
  return { 'model.onnx': modelOf(weights), tokens: tokenTable(weights) };
}

function modelOf(weights: Weights): Uint8Array {
  const { nodes, constants, constant, whole, add } = createGraphBuilder();
  const floats = (name: string): string => {
    const { shape, values } = weightOf(weights, name);
    return constant(name, shape, values as Float32Array);
  };
  const joined = (names: readonly string[], axis: number) => add('Concat', names.map(floats), { axis });
  const ofAll = (prefix: string) => SEQUENCES.map(({ length }) => `${prefix}${length}`);
  const normalised = (input: string, scale: string, bias: string): string =>
    add('LayerNormalization', [input, scale, bias], { axis: -1, epsilon: EPSILON });
  const slice = (input: string, from: number, to: number, axis: number): string =>
    add('Slice', [input, whole([from]), whole([to]), whole([axis])]);

  /** Each token with those around it, beyond the text zeros. */
  function sequences(input: string, { length, before }: (typeof SEQUENCES)[number]): string {
    const padded = add('Pad', [input, whole([before, 0, length - 1 - before, 0])]);
    const shifted = Array.from({ length }, (_, at) =>
      slice(padded, at, at === length - 1 ? END : at - length + 1, 0),
    );
    return add('Concat', shifted, { axis: 1 });
  }
  const convolved = (input: string, sequence: (typeof SEQUENCES)[number], step: 1 | 2): string => {
    const product = add('MatMul', [sequences(input, sequence), floats(`w${step}_${sequence.length}`)]);
    return add('Add', [add('Relu', [add('Add', [product, floats(`b${step}_${sequence.length}`)])]), input]);
  };

  const projected = add('Add', [
    add('MatMul', ['tokens', joined(ofAll('proj'), 1)]),
    joined(ofAll('proj_b'), 0),
  ]);
  const state = normalised(projected, joined(ofAll('ln_g'), 0), joined(ofAll('ln_b'), 0));
  const found = SEQUENCES.map((sequence, at) =>
    convolved(convolved(slice(state, at * WIDTH, (at + 1) * WIDTH, 1), sequence, 1), sequence, 2),
  );
  const all = normalised(add('Concat', ['tokens', ...found], { axis: 1 }), floats('ln_g'), floats('ln_b'));
  const features = add('Add', [add('MatMul', [all, floats('cnn_W')]), floats('cnn_b')]);
  const sum = add('ReduceSum', [features, whole([0])], { keepdims: 1 });
  const length = add('Cast', [slice(add('Shape', ['tokens']), 0, 1, 0)], { to: 1 });
  const mean = add('Div', [sum, add('Sqrt', [length])]);
  const product = (input: string, matrix: string) => add('MatMul', [input, floats(matrix)]);
  const inner = add('Relu', [product(mean, 'd0')]);
  const middle = add('Relu', [add('Add', [product(mean, 'p1'), product(inner, 'd1')])]);
  const outer = add('Relu', [product(middle, 'd2')]);
  const last = add('Tanh', [add('Add', [product(middle, 'p3'), product(outer, 'd3')])]);
  add('LpNormalization', [last], { axis: -1, p: 2 }, 'vector');
  return encodeModel({
    nodes,
    constants,
    input: { name: 'tokens', shape: ['length', TOKEN_WIDTH] },
    output: { name: 'vector', shape: [1, 'dimension'] },
  });
}

/** Tables of tokens: a token is in table `id % 17`. */
const TABLES = 17;

/**
 * The vectors of tokens, of which a number is `byte * scale + offset` of the table `id % 17`: the scales and then the
 * offsets of the tables as floats, where the row of each token begins and the last one ends, and the rows. A row is its
 * lowest byte, and how much each is above it, all in as few bits as the highest needs.
 */
function tokenTable(weights: Weights): Uint8Array {
  const tables = Array.from({ length: TABLES }, (_, of) => weightOf(weights, `q${of + 1}`));
  const tokens = TABLES * (tables[0]?.shape[0] ?? 0);
  const header = new ArrayBuffer(BOUNDS_START + (tokens + 1) * Uint32Array.BYTES_PER_ELEMENT);
  const scales = new Float32Array(header, 0, 2 * TABLES);
  scales.set(weightOf(weights, 'scale').values);
  scales.set(weightOf(weights, 'lo').values, TABLES);
  const bounds = new Uint32Array(header, BOUNDS_START);
  bounds[0] = header.byteLength;
  const rows = Array.from({ length: tokens }, (_, id) => {
    const start = Math.floor(id / TABLES) * TOKEN_WIDTH;
    const row = packed(tables[id % TABLES]?.values.subarray(start, start + TOKEN_WIDTH) ?? []);
    bounds[id + 1] = (bounds[id] ?? 0) + row.length;
    return row;
  });
  return Buffer.concat([new Uint8Array(header), ...rows]);
}

function packed(values: ArrayLike<number>): Uint8Array {
  let [lowest, highest] = [255, 0];
  for (let at = 0; at < TOKEN_WIDTH; at++) {
    lowest = Math.min(lowest, values[at] ?? 0);
    highest = Math.max(highest, values[at] ?? 0);
  }
  const width = 32 - Math.clz32(highest - lowest);
  const row = new Uint8Array(1 + (TOKEN_WIDTH / 8) * width);
  row[0] = lowest;
  for (let at = 0, held = 0, bits = 0, place = 1; at < TOKEN_WIDTH; at++) {
    held |= ((values[at] ?? 0) - lowest) << bits;
    for (bits += width; bits >= 8; bits -= 8) {
      row[place++] = held;
      held >>>= 8;
    }
  }
  return row;
}

/** Where the table says where its rows are. */
const BOUNDS_START = 2 * TABLES * Float32Array.BYTES_PER_ELEMENT;

/** Reads the vector of one token from the file `tokens`. */
export function createTokenReader(
  readAt: (into: Uint8Array | Uint32Array | Float32Array, place: number) => void,
): (id: number, into: Float32Array) => void {
  const scales = new Float32Array(2 * TABLES);
  readAt(scales, 0);
  const bounds = new Uint32Array(2);
  const widest = new Uint8Array(1 + TOKEN_WIDTH);
  return (id, into) => {
    readAt(bounds, BOUNDS_START + id * Uint32Array.BYTES_PER_ELEMENT);
    const [start = 0, end = 0] = bounds;
    const row = widest.subarray(0, end - start);
    readAt(row, start);
    const [scale = 0, offset = 0] = [scales[id % TABLES], scales[TABLES + (id % TABLES)]];
    const width = (row.length - 1) / (TOKEN_WIDTH / 8);
    const [lowest = 0] = row;
    for (let at = 0, held = 0, bits = 0, place = 1; at < TOKEN_WIDTH; at++, bits -= width, held >>>= width) {
      for (; bits < width; bits += 8) held |= (row[place++] ?? 0) << bits;
      into[at] = (lowest + (held & ((1 << width) - 1))) * scale + offset;
    }
  };
}
