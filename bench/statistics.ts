/** What the median of some figures is to reach. */
export type Goal = { least: number } | { most: number };

/**
 * Runs all contenders in turn, round after round, so that a change of the machine's mood meets each; one more round,
 * the first, warms up and does not count.
 *
 * @param onTurn told before each turn, in words for people
 * @returns the figures of each contender, round by round
 */
export async function interleave<Name extends string, Figure>(
  rounds: number,
  contenders: Record<Name, () => Promise<Figure>>,
  onTurn: (text: string) => void = () => undefined,
): Promise<Record<Name, Figure[]>> {
  const names = Object.keys(contenders) as Name[];
  const figures = Object.fromEntries(names.map((name) => [name, [] as Figure[]])) as Record<Name, Figure[]>;
  for (let round = 0; round <= rounds; round++) {
    for (const name of names) {
      onTurn(`${round === 0 ? 'warming up' : `round ${round} of ${rounds}`}: ${name}`);
      const figure = await contenders[name]();
      if (round > 0) figures[name].push(figure);
    }
  }
  return figures;
}

/** Milliseconds that some work takes on the clock. */
export async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** Round by round, what was measured together divided by each other. */
export function ratios(ours: number[], theirs: number[]): number[] {
  return ours.map((figure, round) => figure / (theirs[round] ?? NaN));
}

/** Median, and in brackets the lowest and the highest. */
export function spread(values: number[], digits = 0): string {
  const sorted = values.toSorted((a, b) => a - b);
  const [low, high] = [sorted[0], sorted.at(-1)].map((value) => value?.toFixed(digits));
  return `${median(values).toFixed(digits)} (${low}–${high})`;
}

/** The goal, and whether the median reaches it. */
export function verdict(values: number[], goal: Goal): string {
  const reached = 'least' in goal ? median(values) >= goal.least : median(values) <= goal.most;
  const wanted = 'least' in goal ? `≥ ${goal.least}` : `≤ ${goal.most}`;
  return `goal ${wanted}: ${reached ? 'met' : 'missed'}`;
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? NaN)) / 2;
}

/** The smallest of the values that so many percent of them do not exceed. */
export function percentile(values: number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? NaN;
}
