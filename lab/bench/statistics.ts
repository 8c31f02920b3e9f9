/** A bound for the median of some figures. */
export type Goal = { least: number } | { most: number };

/**
 * Runs all contenders in turn, round after round, so that fluctuations of the machine affect all of them equally. An
 * extra first round is a warm-up.
 *
 * @param onTurn called before each turn with a description for the user
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

/** Wall-clock time of a call. */
export async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** Ratios of the figures measured in the same round. */
export function ratios(ours: number[], theirs: number[]): number[] {
  return ours.map((figure, round) => figure / (theirs[round] ?? NaN));
}

/** Median, with minimum and maximum in brackets. */
export function spread(values: number[], digits = 0): string {
  const sorted = values.toSorted((a, b) => a - b);
  const [low, high] = [sorted[0], sorted.at(-1)].map((value) => value?.toFixed(digits));
  return `${median(values).toFixed(digits)} (${low}–${high})`;
}

/** The goal, and whether the median meets it. */
export function goalResult(values: number[], goal: Goal): string {
  const reached = 'least' in goal ? median(values) >= goal.least : median(values) <= goal.most;
  const wanted = 'least' in goal ? `≥ ${goal.least}` : `≤ ${goal.most}`;
  return `goal ${wanted}: ${reached ? 'met' : 'missed'}`;
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? NaN)) / 2;
}

/** The smallest value that is not exceeded by `percent` of the values. */
export function percentile(values: number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? NaN;
}
