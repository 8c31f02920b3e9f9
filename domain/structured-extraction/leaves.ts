import { childPointer } from './schema-violation.ts';

export type LeafValue = string | number | boolean;

/** A scalar value of a result. */
export interface Leaf {
  /** JSON pointer into the result. */
  pointer: string;
  /** The name of its property, or of the list that contains it. */
  name: string;
  value: LeafValue;
}

/** The leaves of a result, in order. */
export function leavesOf(value: unknown, pointer = '', name = ''): Leaf[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => leavesOf(item, childPointer(pointer, index), name));
  }
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([key, item]) => leavesOf(item, childPointer(pointer, key), key));
  }
  const isLeaf = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return isLeaf ? [{ pointer, name, value }] : [];
}
