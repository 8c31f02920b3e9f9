/** A list index in a path: no sign, no leading zero. */
const INDEX = /^(?:0|[1-9]\d{0,8})$/;

/**
 * The value at a dot-path such as `items.0.label`, wrapped to distinguish `undefined` from an absent value. Only own
 * properties are followed, so no path leads to a prototype.
 */
export function valueAt(root: unknown, path: string): { value: unknown } | undefined {
  let value = root;
  for (const segment of path.split('.')) {
    const next = childOf(value, segment);
    if (!next) return undefined;
    ({ value } = next);
  }
  return { value };
}

/** A copy with the value at a path replaced; the original if the path does not exist. */
export function replaceAt(root: unknown, path: string, value: unknown): unknown {
  return valueAt(root, path) ? replace(root, path.split('.'), value) : root;
}

function replace(node: unknown, [segment, ...rest]: readonly string[], value: unknown): unknown {
  if (segment === undefined) return value;
  const child = replace(childOf(node, segment)?.value, rest, value);
  if (Array.isArray(node)) return node.with(Number(segment), child);
  return { ...(node as object), [segment]: child };
}

function childOf(node: unknown, segment: string): { value: unknown } | undefined {
  if (Array.isArray(node)) {
    const index = INDEX.test(segment) ? Number(segment) : node.length;
    return index < node.length ? { value: node[index] } : undefined;
  }
  if (typeof node !== 'object' || node === null || !Object.hasOwn(node, segment)) return undefined;
  return { value: (node as Readonly<Record<string, unknown>>)[segment] };
}

/** Whether two JSON values are equal, regardless of key order, which Postgres does not preserve. */
export function sameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [left, right] = [Object.entries(one), Object.keys(other)];
  return left.length === right.length && left.every(([key, value]) => sameChild(other, key, value));
}

function sameChild(parent: object, key: string, value: unknown): boolean {
  const child = Object.hasOwn(parent, key) && { value: (parent as Readonly<Record<string, unknown>>)[key] };
  return child !== false && sameJson(value, child.value);
}

/** A person's verdict on an extracted value. */
export const REVIEWS = ['confirmed', 'rejected'] as const;
type Review = (typeof REVIEWS)[number];

/** One correction of the value at a path, with the value it was made for: it does not apply to any other value. */
interface Correction<T> {
  value: T;
  of: unknown;
}
type ByPath<T> = Readonly<Record<string, T>>;

/** Corrections of an extraction, as stored. */
export interface Corrections {
  itemReviews: ByPath<Correction<Review>>;
  fieldEdits: ByPath<Correction<unknown>>;
}

/** Corrections by dot-path, as in requests and responses. */
export interface GivenCorrections {
  itemReviews: ByPath<Review>;
  fieldEdits: ByPath<unknown>;
}

/** An extraction with its corrections applied. */
export interface Layered {
  /** The original with all applicable edits. */
  corrected: unknown;
  /** Corrections that apply to the current original. */
  current: GivenCorrections;
  /** Corrections of values that a later extraction has replaced. */
  superseded: GivenCorrections;
}

const NONE: Corrections = { itemReviews: {}, fieldEdits: {} };

/** A correction in a request. */
export interface CorrectionPlace {
  kind: keyof GivenCorrections;
  path: string;
}

/** The corrections whose paths do not exist in the original. */
export function unknownPaths(original: unknown, given: GivenCorrections): CorrectionPlace[] {
  return (['itemReviews', 'fieldEdits'] as const).flatMap((kind) =>
    Object.keys(given[kind])
      .filter((path) => !valueAt(original, path))
      .map((path) => ({ kind, path })),
  );
}

/** Adds corrections to earlier ones; a new one replaces the earlier one for its path. Every path must exist. */
export function mergeCorrections(
  earlier: Corrections | null | undefined,
  given: GivenCorrections,
  original: unknown,
): Corrections {
  const seen = <T>(all: ByPath<T>): ByPath<Correction<T>> =>
    mapValues(all, (value, path) => ({ value, of: valueAt(original, path)?.value }));
  const { itemReviews, fieldEdits } = earlier ?? NONE;
  return {
    itemReviews: { ...itemReviews, ...seen(given.itemReviews) },
    fieldEdits: { ...fieldEdits, ...seen(given.fieldEdits) },
  };
}

export function countCorrections({ itemReviews, fieldEdits }: Corrections): number {
  return Object.keys(itemReviews).length + Object.keys(fieldEdits).length;
}

/** Applies the corrections to the original, those of whole items before those of their fields. */
export function layer(original: unknown, corrections: Corrections | null | undefined): Layered {
  const { itemReviews, fieldEdits } = corrections ?? NONE;
  const holds = ({ of }: Correction<unknown>, path: string) => sameJson(valueAt(original, path)?.value, of);
  const lapsed = (correction: Correction<unknown>, path: string) => !holds(correction, path);
  const current = {
    itemReviews: valuesOf(itemReviews, holds),
    fieldEdits: valuesOf(fieldEdits, holds),
  };
  const superseded = {
    itemReviews: valuesOf(itemReviews, lapsed),
    fieldEdits: valuesOf(fieldEdits, lapsed),
  };
  const edits = Object.entries(current.fieldEdits).toSorted(([a], [b]) => a.length - b.length);
  const corrected = edits.reduce((value, [path, edit]) => replaceAt(value, path, edit), original);
  return { corrected, current, superseded };
}

function valuesOf<T>(
  all: ByPath<Correction<T>>,
  wanted: (correction: Correction<T>, path: string) => boolean,
): ByPath<T> {
  const chosen = Object.entries(all).filter(([path, correction]) => wanted(correction, path));
  return Object.fromEntries(chosen.map(([path, { value }]) => [path, value]));
}

function mapValues<T, U>(all: ByPath<T>, map: (value: T, path: string) => U): ByPath<U> {
  return Object.fromEntries(Object.entries(all).map(([path, value]) => [path, map(value, path)]));
}
