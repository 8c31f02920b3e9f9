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
 * The vectors of tokens: the scales and then the offsets of the tables as floats, then a row of bytes for each
 * token, of which a number is `byte * scale + offset` of the table `id % 17`.
 */
function tokenTable(weights: Weights): Uint8Array {
  const rows = weightOf(weights, 'q1').shape[0] ?? 0;
  const table = new Uint8Array(TABLE_START + TABLES * rows * TOKEN_WIDTH);
  const scales = new Float32Array(table.buffer, 0, 2 * TABLES);
  scales.set(weightOf(weights, 'scale').values);
  scales.set(weightOf(weights, 'lo').values, TABLES);
  for (let of = 0; of < TABLES; of++) {
    const { values } = weightOf(weights, `q${of + 1}`);
    for (let row = 0; row < rows; row++) {
      const place = TABLE_START + (row * TABLES + of) * TOKEN_WIDTH;
      table.set(values.subarray(row * TOKEN_WIDTH, (row + 1) * TOKEN_WIDTH), place);
    }
  }
  return table;
}

/** Bytes before the first row of the table. */
const TABLE_START = 2 * TABLES * 4;

/** Reads the vector of one token from the file `tokens`. */
export function createTokenReader(
  readAt: (into: Uint8Array | Float32Array, place: number) => void,
): (id: number, into: Float32Array) => void {
  const scales = new Float32Array(2 * TABLES);
  readAt(scales, 0);
  const row = new Uint8Array(TOKEN_WIDTH);
  return (id, into) => {
    readAt(row, TABLE_START + id * TOKEN_WIDTH);
    const [scale = 0, offset = 0] = [scales[id % TABLES], scales[TABLES + (id % TABLES)]];
    for (let at = 0; at < TOKEN_WIDTH; at++) into[at] = (row[at] ?? 0) * scale + offset;
  };
}
