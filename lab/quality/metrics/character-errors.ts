import { normalise } from './normalise.ts';

/** Insertions, deletions and substitutions that turn one text into the other, and the length of the true one. */
export function characterErrors(truth: string, found: string): { errors: number; characters: number } {
  const [a, b] = [[...normalise(truth)], [...normalise(found)]];
  let before = Uint32Array.from({ length: b.length + 1 }, (_, index) => index);
  let now = new Uint32Array(b.length + 1);
  for (const [row, letter] of a.entries()) {
    now[0] = row + 1;
    for (let column = 0; column < b.length; column++) {
      const changed = (before[column] ?? 0) + (letter === b[column] ? 0 : 1);
      now[column + 1] = Math.min(changed, (before[column + 1] ?? 0) + 1, (now[column] ?? 0) + 1);
    }
    [before, now] = [now, before];
  }
  return { errors: before[b.length] ?? 0, characters: a.length };
}
