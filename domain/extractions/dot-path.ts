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
