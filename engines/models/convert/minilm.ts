import { encodeModel } from '../../onnx/encode-model.ts';
import { createGraphBuilder } from './graph-builder.ts';
import { readSafetensors, type Weight, weightOf } from './read-weights.ts';

const HEADS = 12;
const LAYERS = 6;
const EPSILON = 1e-12;
/** Weights are −63…63: with 127, sums of two products overflow 16 bits on processors without VNNI. */
const MOST = 63;

/**
 * all-MiniLM-L6-v2 from its weights in full precision: `tokens` of one text, 1 × n whole numbers, into `vector`, the mean of
 * theirs, with length 1. Matrices have eight bits and a scale for each output, embeddings a scale for each token; what
 * is multiplied with them is quantised as it comes.
 */
export function convertMinilm([file]: readonly Buffer[]): Record<string, Uint8Array> {
  const weights = readSafetensors(file ?? Buffer.alloc(0));
  const { nodes, constants, constant, whole, add, addAll } = createGraphBuilder();
  const of = (name: string): Weight => weightOf(weights, name);
  const floats = (name: string): string => constant(name, of(name).shape, of(name).values);
  const none = constant('no offset', [], new Int8Array(1));

  /** A linear layer, of several beside each other. Its weights are stored by output. */
  function dense(input: string, ...layers: string[]): string {
    const stored = layers.map((layer) => of(`${layer}.weight`));
    const width = stored[0]?.shape[1] ?? 0;
    const rows = quantiseRows(joined(stored.map(({ values }) => values)), width);
    const outputs = rows.scales.length;
    const name = layers.join('+');
    const [quantised = '', scale = '', offset = ''] = addAll('DynamicQuantizeLinear', [input], 3);
    const matrix = constant(`${name} matrix`, [width, outputs], transposed(rows.values, width));
    const sums = add('Cast', [add('MatMulInteger', [quantised, matrix, offset, none])], { to: 1 });
    const scales = add('Mul', [scale, constant(`${name} scales`, [outputs], rows.scales)]);
    const bias = joined(layers.map((layer) => of(`${layer}.bias`).values));
    return add('Add', [add('Mul', [sums, scales]), constant(`${name} bias`, [outputs], bias)]);
  }
  const normalised = (input: string, layer: string): string =>
    add('LayerNormalization', [input, floats(`${layer}.weight`), floats(`${layer}.bias`)], {
      axis: -1,
      epsilon: EPSILON,
    });

  const words = of('embeddings.word_embeddings.weight');
  const [count = 0, width = 0] = words.shape;
  const table = quantiseRows(words.values, width);
  const rows = add('Cast', [add('Gather', [constant('words', words.shape, table.values), 'tokens'])], {
    to: 1,
  });
  const scales = add('Gather', [constant('scales of words', [count, 1], table.scales), 'tokens']);
  const length = add('Slice', [add('Shape', ['tokens']), whole([1]), whole([2])]);
  const positions = add('Slice', [
    floats('embeddings.position_embeddings.weight'),
    whole([0]),
    length,
    whole([0]),
  ]);
  // All tokens are of one text.
  const type = constant(
    'type of tokens',
    [width],
    of('embeddings.token_type_embeddings.weight').values.slice(0, width),
  );
  const placed = add('Add', [add('Mul', [rows, scales]), add('Add', [positions, type])]);
  let state = normalised(placed, 'embeddings.LayerNorm');
  for (let at = 0; at < LAYERS; at++) {
    const layer = `encoder.layer.${at}`;
    const all = dense(state, ...['query', 'key', 'value'].map((part) => `${layer}.attention.self.${part}`));
    const parts = addAll('Split', [all], 3, { axis: -1 });
    const seen = add('MultiHeadAttention', parts, { num_heads: HEADS });
    const attended = add('Add', [state, dense(seen, `${layer}.attention.output.dense`)]);
    state = normalised(attended, `${layer}.attention.output.LayerNorm`);
    const inner = add('Gelu', [dense(state, `${layer}.intermediate.dense`)]);
    state = normalised(
      add('Add', [state, dense(inner, `${layer}.output.dense`)]),
      `${layer}.output.LayerNorm`,
    );
  }
  const mean = add('ReduceMean', [state], { axes: [1], keepdims: 0 });
  add('LpNormalization', [mean], { axis: -1, p: 2 }, 'vector');
  const model = encodeModel({
    nodes,
    constants,
    input: { name: 'tokens', shape: [1, 'length'], isWhole: true },
    output: { name: 'vector', shape: [1, width] },
  });
  return { 'model.onnx': model };
}

/** The rows of a matrix in eight bits, each with a scale of its own. */
function quantiseRows(values: Float32Array, width: number): { values: Int8Array; scales: Float32Array } {
  const scales = new Float32Array(values.length / width);
  const quantised = new Int8Array(values.length);
  for (const at of scales.keys()) {
    const row = values.subarray(at * width, (at + 1) * width);
    const largest = row.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-12);
    scales[at] = largest / MOST;
    for (const [place, value] of row.entries())
      quantised[at * width + place] = Math.round((value / largest) * MOST);
  }
  return { values: quantised, scales };
}

function transposed(values: Int8Array, width: number): Int8Array {
  const height = values.length / width;
  return values.map((_, at) => values[(at % height) * width + Math.floor(at / height)] ?? 0);
}

function joined(parts: readonly Float32Array[]): Float32Array {
  const whole = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
