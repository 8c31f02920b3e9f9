import { z } from 'zod';
import { encodeModel } from '../../onnx/encode-model.ts';
import { createGraphBuilder } from './graph-builder.ts';

const SIDE = 300;
const LEVELS = 6;
/** Offsets of a box; scores of nothing and of the 90 numbers of COCO's classes. */
const BOX = 4;
const CLASSES = 91;
const ANCHORS = 1917;

/** The parts that are read of a graph of TensorFlow.js. */
const Topology = z.object({
  modelTopology: z.object({
    node: z.array(
      z.object({
        name: z.string(),
        op: z.string(),
        input: z.array(z.string()).default([]),
        attr: z
          .object({
            strides: z.object({ list: z.object({ i: z.array(z.coerce.number()) }) }).optional(),
            epsilon: z.object({ f: z.number() }).optional(),
          })
          .default({}),
      }),
    ),
  }),
  weightsManifest: z.array(
    z.object({
      weights: z.array(
        z.object({ name: z.string(), shape: z.array(z.int().min(0)), dtype: z.enum(['float32', 'int32']) }),
      ),
    }),
  ),
});
type Node = z.output<typeof Topology>['modelTopology']['node'][number];

interface Weights {
  shape: readonly number[];
  values: Float32Array<ArrayBuffer>;
}

/**
 * The SSDLite-MobileNetV2 detector from its graph of TensorFlow.js: `image`, 1 × 3 × 300 × 300, value × 2 / 255 - 1, into
 * `answer`, 1 × 1,917 × 95: offsets (y, x, height, width) of a box from its anchor, then the scores of the classes. The
 * anchors, top, left, bottom, right as shares of the image, are a file of their own, as little-endian floats.
 *
 * @param files the graph, then its weights in order
 */
export function convertCocoSsd([graphFile, ...shards]: readonly Buffer[]): Record<string, Uint8Array> {
  const { modelTopology, weightsManifest } = Topology.parse(JSON.parse(String(graphFile)));
  const nodes = new Map(modelTopology.node.map((node) => [node.name, node]));
  const weights = readWeights(
    weightsManifest.flatMap((group) => group.weights),
    Buffer.concat(shards),
  );
  const graph = createGraphBuilder();
  /** Outputs of nodes that are converted, with the side of their square. */
  const done = new Map<string, { output: string; side: number }>();

  const node = (reference: string): Node => {
    const found = nodes.get(nameOf(reference));
    if (found === undefined) throw new Error(`the graph has no ${reference}`);
    return found;
  };
  const weight = (reference: string): Weights => {
    const found = weights.get(nameOf(reference));
    if (found === undefined) throw new Error(`the graph has no weights ${reference}`);
    return found;
  };
  const perChannel = (name: string, values: Float32Array<ArrayBuffer>) =>
    graph.constant(`${name}#channel`, [1, values.length, 1, 1], values);

  const convolve = ({ name, input, attr }: Node, depthwise: boolean) => {
    const [from = '', kernels = ''] = input;
    const { output, side } = convert(from);
    const { shape, values } = weight(kernels);
    const [kernel = 0, , inputs = 0] = shape;
    return graph.convolve([output, graph.constant(`${name}#w`, ...toOnnx(shape, values, depthwise))], {
      kernel,
      stride: attr.strides?.list.i[1] ?? 1,
      groups: depthwise ? inputs : 1,
      side,
    });
  };

  const normalise = ({ name, input, attr }: Node) => {
    const [from = '', ...parts] = input;
    const { output, side } = convert(from);
    const [gamma, beta, mean, variance] = parts.map((part) => weight(part).values);
    const epsilon = attr.epsilon?.f ?? 0;
    const scale = Float32Array.from(
      gamma ?? [],
      (value, at) => value / Math.sqrt((variance?.[at] ?? 0) + epsilon),
    );
    const shift = Float32Array.from(beta ?? [], (value, at) => value - (mean?.[at] ?? 0) * (scale[at] ?? 0));
    const scaled = graph.add('Mul', [output, perChannel(`${name}#scale`, scale)]);
    return { output: graph.add('Add', [scaled, perChannel(`${name}#shift`, shift)]), side };
  };

  const combine = (operator: 'Mul' | 'Add', { input }: Node) => {
    const operands = input.filter((reference) => !reference.startsWith('^'));
    const isConstant = (reference: string) => node(reference).op === 'Const';
    const [first = '', ...others] = operands.toSorted(
      (a, b) => Number(isConstant(a)) - Number(isConstant(b)),
    );
    let { output, side } = convert(first);
    for (const other of others) {
      const operand = isConstant(other)
        ? perChannel(nameOf(other), weight(other).values)
        : convert(other).output;
      output = graph.add(operator, [output, operand]);
    }
    return { output, side };
  };

  function convert(reference: string): { output: string; side: number } {
    const name = nameOf(reference);
    // What the graph does before is done by whoever prepares the image.
    if (name === 'Preprocessor/sub') return { output: 'image', side: SIDE };
    const before = done.get(name);
    if (before) return before;
    const found = convertNode(node(name));
    done.set(name, found);
    return found;
  }

  function convertNode(from: Node): { output: string; side: number } {
    switch (from.op) {
      case 'Conv2D':
        return convolve(from, false);
      case 'DepthwiseConv2dNative':
        return convolve(from, true);
      case 'Mul':
        return combine('Mul', from);
      case 'Add':
      case 'AddN':
      case 'BiasAdd':
        return combine('Add', from);
      case 'FusedBatchNorm':
        return normalise(from);
      case 'Relu6': {
        const { output, side } = convert(from.input[0] ?? '');
        return { output: graph.relu6(output), side };
      }
      case 'Identity':
        return convert(from.input[0] ?? '');
      default:
        throw new Error(`the graph has the operation ${from.op}, which has no counterpart`);
    }
  }

  const predicted = (predictor: string, width: number): string => {
    const shape = graph.constant(`by ${width}`, [3], BigInt64Array.from([1n, -1n, BigInt(width)]));
    const levels = Array.from({ length: LEVELS }, (_, level) => {
      const { output } = convert(`BoxPredictor_${level}/${predictor}/BiasAdd`);
      return graph.add('Reshape', [graph.add('Transpose', [output], { perm: [0, 2, 3, 1] }), shape]);
    });
    return graph.add('Concat', levels, { axis: 1 });
  };
  const boxes = predicted('BoxEncodingPredictor', BOX);
  const scores = graph.add('Sigmoid', [predicted('ClassPredictor', CLASSES)]);
  graph.add('Concat', [boxes, scores], { axis: 2 }, 'answer');
  const model = encodeModel({
    nodes: graph.nodes,
    constants: graph.constants,
    input: { name: 'image', shape: [1, 3, SIDE, SIDE] },
    output: { name: 'answer', shape: [1, ANCHORS, BOX + CLASSES] },
  });
  return { 'model.onnx': model, anchors: bytesOf(weight('Postprocessor/ExpandDims').values) };
}

const nameOf = (reference: string): string => reference.split(':')[0] ?? '';

const bytesOf = ({ buffer, byteOffset, byteLength }: Float32Array<ArrayBuffer>) =>
  new Uint8Array(buffer, byteOffset, byteLength);

function readWeights(
  list: readonly { name: string; shape: number[]; dtype: 'float32' | 'int32' }[],
  bytes: Buffer,
): Map<string, Weights> {
  const found = new Map<string, Weights>();
  let at = 0;
  for (const { name, shape, dtype } of list) {
    const size = 4 * shape.reduce((product, side) => product * side, 1);
    if (at + size > bytes.length) throw new Error(`the weights end before ${name}`);
    const values = new Float32Array(new Uint8Array(bytes.subarray(at, at + size)).buffer);
    if (dtype === 'float32') found.set(name, { shape, values });
    at += size;
  }
  return found;
}

/** Kernels of TensorFlow, [y, x, inputs, outputs], as those of ONNX, [outputs, inputs, y, x]. */
function toOnnx(
  shape: readonly number[],
  values: Float32Array,
  depthwise: boolean,
): [shape: number[], values: Float32Array] {
  const [height = 0, width = 0, inputs = 0, outputs = 0] = shape;
  const turned = new Float32Array(values.length);
  const spots = height * width;
  for (let at = 0; at < values.length; at++) {
    const output = at % outputs;
    const input = Math.floor(at / outputs) % inputs;
    const spot = Math.floor(at / (outputs * inputs));
    const filter = depthwise ? input * outputs + output : output * inputs + input;
    turned[filter * spots + spot] = values[at] ?? 0;
  }
  return [depthwise ? [inputs * outputs, 1, height, width] : [outputs, inputs, height, width], turned];
}
