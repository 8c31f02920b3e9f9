/** Writes ONNX files: protobuf messages of the few kinds that a small graph needs. */

type Shape = readonly (number | string)[];
const ELEMENTS = { float: 1, int64: 7 } as const;

/** An input or output of a graph; a dimension that is a name may have any length. */
export interface OnnxValue {
  name: string;
  type: keyof typeof ELEMENTS;
  shape: Shape;
}

export interface OnnxNode {
  op: string;
  inputs: readonly string[];
  outputs: readonly string[];
  /** Whole numbers, or lists of them. */
  attributes?: Readonly<Record<string, number | readonly number[]>>;
}

export interface OnnxGraph {
  inputs: readonly OnnxValue[];
  outputs: readonly OnnxValue[];
  nodes: readonly OnnxNode[];
  /** Constants by name; `int64` for shapes and indexes. */
  weights: Readonly<Record<string, { shape: readonly number[]; values: readonly number[]; type?: 'int64' }>>;
}

/** A model file of version 13 of the operators. */
export function onnxFile({ inputs, outputs, nodes, weights }: OnnxGraph): Buffer {
  const graph = [
    ...nodes.map((node) => bytes(1, nodeMessage(node))),
    text(2, 'graph'),
    ...Object.entries(weights).map(([name, weight]) => bytes(5, tensorMessage(name, weight))),
    ...inputs.map((value) => bytes(11, valueMessage(value))),
    ...outputs.map((value) => bytes(12, valueMessage(value))),
  ];
  const operators = [text(1, ''), whole(2, 13)];
  return Buffer.concat([whole(1, 8), bytes(7, Buffer.concat(graph)), bytes(8, Buffer.concat(operators))]);
}

function nodeMessage({ op, inputs, outputs, attributes = {} }: OnnxNode): Buffer {
  return Buffer.concat([
    ...inputs.map((name) => text(1, name)),
    ...outputs.map((name) => text(2, name)),
    text(4, op),
    ...Object.entries(attributes).map(([name, value]) =>
      bytes(
        5,
        typeof value === 'number'
          ? Buffer.concat([text(1, name), whole(3, value), whole(20, 2)])
          : Buffer.concat([text(1, name), ...value.map((one) => whole(8, one)), whole(20, 7)]),
      ),
    ),
  ]);
}

function tensorMessage(name: string, { shape, values, type }: OnnxGraph['weights'][string]): Buffer {
  const raw = type === 'int64' ? BigInt64Array.from(values.map(BigInt)) : Float32Array.from(values);
  return Buffer.concat([
    ...shape.map((length) => whole(1, length)),
    whole(2, ELEMENTS[type ?? 'float']),
    text(8, name),
    bytes(9, Buffer.from(raw.buffer)),
  ]);
}

function valueMessage({ name, type, shape }: OnnxValue): Buffer {
  const dimensions = shape.map((length) =>
    bytes(1, typeof length === 'number' ? whole(1, length) : text(2, length)),
  );
  const tensor = Buffer.concat([whole(1, ELEMENTS[type]), bytes(2, Buffer.concat(dimensions))]);
  return Buffer.concat([text(1, name), bytes(2, bytes(1, tensor))]);
}

const whole = (field: number, value: number): Buffer =>
  Buffer.concat([varint(BigInt(field * 8)), varint(BigInt.asUintN(64, BigInt(value)))]);
const bytes = (field: number, content: Buffer): Buffer =>
  Buffer.concat([varint(BigInt(field * 8 + 2)), varint(BigInt(content.length)), content]);
const text = (field: number, content: string): Buffer => bytes(field, Buffer.from(content));

function varint(value: bigint): Buffer {
  const low: number[] = [];
  let rest = value;
  for (; rest >= 128n; rest >>= 7n) low.push(Number(rest & 127n) | 128);
  return Buffer.from([...low, Number(rest)]);
}
