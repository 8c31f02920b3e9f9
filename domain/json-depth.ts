/** Nesting depth of objects and lists in a JSON value; 0 for a scalar. Not recursive, since bodies may nest deeply. */
export function jsonDepth(root: unknown): number {
  let level = [root].filter(isNested);
  let depth = 0;
  for (; level.length > 0; depth += 1)
    level = level.flatMap((value) => Object.values(value)).filter(isNested);
  return depth;
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
