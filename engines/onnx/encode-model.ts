import protobuf from 'protobufjs';

/** A step of a model: its inputs and outputs are names of tensors. */
export interface OnnxNode {
  opType: string;
  input: readonly string[];
  output: readonly string[];
  /** Whole numbers, but `epsilon`. */
  attributes?: Readonly<Record<string, number | readonly number[]>>;
}

/** A constant of a model. */
export interface OnnxConstant {
  shape: readonly number[];
  values: Float32Array | Int8Array | BigInt64Array;
}

export interface OnnxGraph {
  nodes: readonly OnnxNode[];
  constants: Readonly<Record<string, OnnxConstant>>;
  /** Tensors of floats, or of whole numbers of 64 bits; a dimension of any size has a name. */
  input: { name: string; shape: readonly (number | string)[]; isWhole?: boolean };
  output: { name: string; shape: readonly (number | string)[] };
}

/** The parts of onnx.proto that these models have. */
const { root } = protobuf.parse(`syntax = "proto2"; package onnx;
  message ModelProto { optional int64 ir_version = 1; optional GraphProto graph = 7;
    repeated OperatorSetIdProto opset_import = 8; }
  message OperatorSetIdProto { optional string domain = 1; optional int64 version = 2; }
  message GraphProto { repeated NodeProto node = 1; optional string name = 2; repeated TensorProto initializer = 5;
    repeated ValueInfoProto input = 11; repeated ValueInfoProto output = 12; }
  message NodeProto { repeated string input = 1; repeated string output = 2; optional string op_type = 4;
    repeated AttributeProto attribute = 5; optional string domain = 7; }
  message AttributeProto { optional string name = 1; optional float f = 2; optional int64 i = 3;
    repeated int64 ints = 8; optional int32 type = 20; }
  message TensorProto { repeated int64 dims = 1; optional int32 data_type = 2; optional string name = 8;
    optional bytes raw_data = 9; }
  message ValueInfoProto { optional string name = 1; optional TypeProto type = 2; }
  message TypeProto { optional TensorType tensor_type = 1; }
  message TensorType { optional int32 elem_type = 1; optional TensorShapeProto shape = 2; }
  message TensorShapeProto { repeated Dimension dim = 1; }
  message Dimension { optional int64 dim_value = 1; optional string dim_param = 2; }`);
const MODEL = root.lookupType('onnx.ModelProto');

const IR_VERSION = 8;
const OPERATORS = 17;
const FLOAT = 1;
const INT8 = 3;
const INT64 = 7;
/** Operators that onnxruntime adds to those of the standard. */
const ADDED = { domain: 'com.microsoft', version: 1, operators: new Set(['MultiHeadAttention', 'Gelu']) };
const ATTRIBUTE = { float: 1, int: 2, ints: 7 };

/** The bytes of an ONNX model, as onnxruntime loads it. */
export function encodeModel({ nodes, constants, input, output }: OnnxGraph): Uint8Array {
  const graph = {
    name: 'graph',
    node: nodes.map(({ attributes = {}, ...node }) => ({
      ...node,
      ...(ADDED.operators.has(node.opType) && { domain: ADDED.domain }),
      attribute: Object.entries(attributes).map(toAttribute),
    })),
    initializer: Object.entries(constants).map(([name, { shape, values }]) => ({
      name,
      dims: shape,
      dataType: typeOf(values),
      rawData: new Uint8Array(values.buffer, values.byteOffset, values.byteLength),
    })),
    input: [toValue(input)],
    output: [toValue(output)],
  };
  const isExtended = nodes.some(({ opType }) => ADDED.operators.has(opType));
  const added = isExtended ? [{ domain: ADDED.domain, version: ADDED.version }] : [];
  const opsetImport = [{ domain: '', version: OPERATORS }, ...added];
  const model = { irVersion: IR_VERSION, opsetImport, graph };
  return MODEL.encode(MODEL.fromObject(model)).finish();
}

function typeOf(values: OnnxConstant['values']): number {
  if (values instanceof Float32Array) return FLOAT;
  return values instanceof Int8Array ? INT8 : INT64;
}

function toAttribute([name, value]: [string, number | readonly number[]]) {
  if (typeof value !== 'number') return { name, type: ATTRIBUTE.ints, ints: value };
  return Number.isInteger(value)
    ? { name, type: ATTRIBUTE.int, i: value }
    : { name, type: ATTRIBUTE.float, f: value };
}

function toValue({ name, shape, isWhole }: OnnxGraph['input']) {
  const dim = shape.map((size) => (typeof size === 'number' ? { dimValue: size } : { dimParam: size }));
  return { name, type: { tensorType: { elemType: isWhole ? INT64 : FLOAT, shape: { dim } } } };
}
