import { encodeModel } from '../../onnx/encode-model.ts';
import { createGraphBuilder } from './graph-builder.ts';
import { readStateDict } from './state-dict.ts';

const SIDE = 260;
/** Of EfficientNet-Lite2. */
const DEPTH = 1.2;
const EPSILON = 1e-3;
/** Blocks of EfficientNet-Lite: repeats, kernel, stride, expansion. The first and the last stage are never repeated more. */
const STAGES = [
  [1, 3, 1, 1],
  [2, 3, 2, 6],
  [2, 5, 2, 6],
  [3, 3, 2, 6],
  [3, 5, 1, 6],
  [4, 5, 2, 6],
  [1, 3, 1, 6],
] as const;

/**
 * EfficientNet-Lite2 from its PyTorch weights: `image`, 1 × 3 × 260 × 260, (value - 127) / 128, into `answer`, the
 * probabilities of 1,000 classes, then 1,280 features. Normalisation is folded into the convolutions.
 *
 * @see https://github.com/tensorflow/tpu/tree/master/models/official/efficientnet/lite
 */
export function convertEfficientNetLite([weights]: readonly Buffer[]): Record<string, Uint8Array> {
  const tensors = readStateDict(weights ?? Buffer.alloc(0));
  const graph = createGraphBuilder();
  let side = SIDE;

  const tensor = (name: string) => {
    const found = tensors.get(name);
    if (found === undefined) throw new Error(`the weights have no ${name}`);
    return found;
  };
  const convolve = (
    input: string,
    name: string,
    norm: string,
    [kernel, stride, groups]: readonly [number, number, number],
  ): string => {
    const { shape, values } = tensor(`${name}.weight`);
    const [scale, shift, mean, variance] = ['weight', 'bias', 'running_mean', 'running_var'].map(
      (part) => tensor(`${norm}.${part}`).values,
    );
    const outputs = shape[0] ?? 0;
    const each = values.length / outputs;
    const factor = (output: number) =>
      (scale?.[output] ?? 0) / Math.sqrt((variance?.[output] ?? 0) + EPSILON);
    const folded = values.map((value, at) => value * factor(Math.floor(at / each)));
    const bias = Float32Array.from(
      { length: outputs },
      (_, output) => (shift?.[output] ?? 0) - (mean?.[output] ?? 0) * factor(output),
    );
    const found = graph.convolve(
      [input, graph.constant(`${name}.w`, shape, folded), graph.constant(`${name}.b`, [outputs], bias)],
      { kernel, stride, groups, side },
    );
    side = found.side;
    return found.output;
  };

  let x = graph.relu6(convolve('image', '_conv_stem', '_bn0', [3, 2, 1]));
  let block = 0;
  for (const [stage, [repeats, kernel, stride, expansion]] of STAGES.entries()) {
    const fixed = stage === 0 || stage === STAGES.length - 1;
    for (let repeat = 0; repeat < (fixed ? repeats : Math.ceil(repeats * DEPTH)); repeat++, block++) {
      const name = `_blocks.${block}`;
      const input = x;
      if (expansion !== 1) x = graph.relu6(convolve(x, `${name}._expand_conv`, `${name}._bn0`, [1, 1, 1]));
      const depthwise = `${name}._depthwise_conv`;
      const channels = tensor(`${depthwise}.weight`).shape[0] ?? 0;
      x = graph.relu6(convolve(x, depthwise, `${name}._bn1`, [kernel, repeat === 0 ? stride : 1, channels]));
      x = convolve(x, `${name}._project_conv`, `${name}._bn2`, [1, 1, 1]);
      if (repeat > 0) x = graph.add('Add', [x, input]);
    }
  }
  if (tensors.has(`_blocks.${block}._project_conv.weight`)) throw new Error('the weights have more blocks');
  x = graph.relu6(convolve(x, '_conv_head', '_bn1', [1, 1, 1]));
  const features = graph.add('Flatten', [graph.add('GlobalAveragePool', [x])], { axis: 1 });
  for (const part of ['weight', 'bias']) {
    const { shape, values } = tensor(`_fc.${part}`);
    graph.constant(`_fc.${part}`, shape, values);
  }
  const logits = graph.add('Gemm', [features, '_fc.weight', '_fc.bias'], { transB: 1 });
  graph.add('Concat', [graph.add('Softmax', [logits], { axis: 1 }), features], { axis: 1 }, 'answer');
  const model = encodeModel({
    nodes: graph.nodes,
    constants: graph.constants,
    input: { name: 'image', shape: [1, 3, SIDE, SIDE] },
    output: { name: 'answer', shape: [1, 2280] },
  });
  return { 'model.onnx': model };
}
