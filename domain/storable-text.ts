/** Whether text survives storage unchanged: Postgres rejects NUL, and UTF-8 has no lone surrogates. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

interface Node {
  value: unknown;
  key: string;
  parent: Node | undefined;
}

/**
 * The path to the first string or number in a JSON value that cannot be stored, or to the value of the first such key;
 * undefined if there is none. Not recursive, since the value may be nested as deeply as its size allows.
 */
export function findUnstorable(root: unknown): string[] | undefined {
  const open: Node[] = [{ value: root, key: '', parent: undefined }];
  for (let node = open.pop(); node; node = open.pop()) {
    const { value } = node;
    if (!isStorable(node.key) || !isStorableScalar(value)) return pathOf(node);
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, child] of Object.entries(value).toReversed()) {
      open.push({ value: child, key, parent: node });
    }
  }
  return undefined;
}

/** JSON may hold numbers beyond a double's range, such as 1e400; they parse as infinite and would be stored as null. */
function isStorableScalar(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value !== 'string' || isStorable(value);
}

function pathOf(node: Node): string[] {
  const path: string[] = [];
  for (let at = node; at.parent; at = at.parent) path.unshift(at.key);
  return path;
}
