import { childPointer } from './schema-violation.ts';

export type LeafValue = string | number | boolean;

/** A value of a result that is neither object nor list. */
export interface Leaf {
  /** JSON pointer into the result. */
  pointer: string;
  /** The name of the property that it is, or is an item of. */
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
