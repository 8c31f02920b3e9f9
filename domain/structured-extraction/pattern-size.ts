/** Repetition operators that do not lengthen the compiled program. */
const REPEATED = /[*+?]/;
/** `\p{Greek}` and `\u{41}` count as one element each. */
const NAMED = /^[pPxu]\{/;
const COUNTED = /\{(\d{1,4})(?:,(\d{0,4}))?\}/y;

/**
 * Estimates the number of instructions in the program of a regular expression, without compiling it: a counted
 * repetition is as many copies, and nested repetitions multiply. Linear in the pattern; Infinity on overflow.
 */
export function patternSize(pattern: string): number {
  const open: number[] = [];
  /** Size of the current group, and of its last element, which a count repeats. */
  let size = 0;
  let last = 0;
  const add = (more: number): void => {
    size += more;
    last = more;
  };
  for (let at = 0; at < pattern.length; at += 1) {
    const sign = pattern.charAt(at);
    if (sign === '\\') {
      at = NAMED.test(pattern.slice(at + 1, at + 3)) ? Math.max(at + 1, pattern.indexOf('}', at)) : at + 1;
      add(1);
    } else if (sign === '[') {
      at = endOfClass(pattern, at);
      add(1);
    } else if (sign === '(') {
      open.push(size);
      size = 0;
      last = 0;
    } else if (sign === ')') {
      const group = size + 1;
      size = open.pop() ?? 0;
      add(group);
    } else if (sign === '{') {
      COUNTED.lastIndex = at;
      const counted = COUNTED.exec(pattern);
      if (counted) {
        const copies = Math.max(1, Number(counted[1]), Number(counted[2] || 0));
        size += last * (copies - 1);
        last *= copies;
        at += counted[0].length - 1;
      } else add(1);
    } else if (!REPEATED.test(sign)) add(1);
  }
  return open.reduce((sum, outer) => sum + outer, size);
}

/** The index of the bracket that closes a class, or the end of the pattern. */
function endOfClass(pattern: string, start: number): number {
  // A bracket in first position is a member of the class.
  const first = pattern.charAt(start + 1) === '^' ? start + 2 : start + 1;
  for (let at = first; at < pattern.length; at += 1) {
    const sign = pattern.charAt(at);
    if (sign === '\\') at += 1;
    else if (sign === ']' && at > first) return at;
  }
  return pattern.length;
}
