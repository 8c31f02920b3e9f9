import type { OnnxConstant, OnnxNode } from '../../onnx/encode-model.ts';

/** Collects the nodes of a model; names of tensors are made up where the caller gives none. */
export function createGraphBuilder() {
  const nodes: OnnxNode[] = [];
  const constants: Record<string, OnnxConstant> = {
    zero: { shape: [], values: new Float32Array([0]) },
    six: { shape: [], values: new Float32Array([6]) },
  };
  const add = (
    opType: string,
    input: readonly string[],
    attributes: NonNullable<OnnxNode['attributes']> = {},
    output = `t${nodes.length}`,
  ): string => {
    nodes.push({ opType, input, output: [output], attributes });
    return output;
  };
  const constant = (name: string, shape: readonly number[], values: OnnxConstant['values']): string => {
    constants[name] = { shape, values };
    return name;
  };
  return {
    nodes,
    constants,
    /** @returns the name of its output */
    add,
    /** A node of several outputs. @returns their names */
    addAll: (
      opType: string,
      input: readonly string[],
      outputs: number,
      attributes: NonNullable<OnnxNode['attributes']> = {},
    ): string[] => {
      const output = Array.from({ length: outputs }, (_, at) => `t${nodes.length}.${at}`);
      nodes.push({ opType, input, output, attributes });
      return output;
    },
    constant,
    /** A list of whole numbers. */
    whole: (values: readonly number[]) =>
      constant(`[${values.join()}]`, [values.length], BigInt64Array.from(values.map(BigInt))),
    relu6: (input: string) => add('Clip', [input, 'zero', 'six']),
    /** A convolution padded as TensorFlow's `SAME`, of a square with this side. */
    convolve(
      input: readonly string[],
      { kernel, stride, groups, side }: { kernel: number; stride: number; groups: number; side: number },
    ): { output: string; side: number } {
      const after = Math.ceil(side / stride);
      const padding = Math.max(0, (after - 1) * stride + kernel - side);
      const before = padding >> 1;
      const output = add('Conv', input, {
        kernel_shape: [kernel, kernel],
        strides: [stride, stride],
        pads: [before, before, padding - before, padding - before],
        group: groups,
      });
      return { output, side: after };
    },
  };
}
