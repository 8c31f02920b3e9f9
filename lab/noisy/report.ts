import type { Ended } from './deliver.ts';
import type { NoisyResult } from './run-noisy.ts';
import { ORDINARY_MEDIA, VISITOR } from './ordinary-files.ts';

/** The goal: a tenant's maximum p95 beside a hostile tenant, as a multiple of its p95 alone. */
const mostRatio = (medium: string): number => (['jpg', VISITOR].includes(medium) ? 2 : 3);

export interface MediumFigures {
  medium: string;
  alone: { p50: number; p95: number };
  together: { p50: number; p95: number };
  ratio: number;
}

/** Figures of every medium and of all together. */
export function figuresOf({ alone, together }: Pick<NoisyResult, 'alone' | 'together'>): MediumFigures[] {
  return [...ORDINARY_MEDIA, VISITOR, 'all'].map((medium) => {
    const of = (files: readonly Ended[]) => {
      const times = files.filter(({ kind }) => medium === 'all' || kind === medium).map(({ ms }) => ms);
      return { p50: percentile(times, 0.5), p95: percentile(times, 0.95) };
    };
    const [a, b] = [of(alone), of(together)];
    return { medium, alone: a, together: b, ratio: b.p95 / a.p95 };
  });
}

/** The missed goals; empty if all are met. */
export function shortfalls(result: NoisyResult): string[] {
  const slow = figuresOf(result)
    .filter(({ medium, ratio }) => !(ratio <= mostRatio(medium)))
    .map(({ medium, ratio }) => `p95 of ${medium} is ${ratio.toFixed(1)} times its p95 alone`);
  const failed = [...result.alone, ...result.together].filter(({ outcome }) => outcome !== 'completed');
  return [
    ...slow,
    ...failed.map(({ kind, outcome }) => `an ordinary ${kind} ended with ${outcome}`),
    ...(result.unfinished.length > 0 ? [`${result.unfinished.length} hostile files have not ended`] : []),
  ];
}

/** The result as text, the worst kinds of hostile files first. */
export function report(result: NoisyResult): string {
  const s = (ms: number) => `${(ms / 1000).toFixed(1)} s`.padStart(9);
  const rows = figuresOf(result).map(
    ({ medium, alone, together, ratio }) =>
      `${medium.padEnd(7)}${s(alone.p50)}${s(alone.p95)}${s(together.p50)}${s(together.p95)}${ratio.toFixed(2).padStart(9)}`,
  );
  const kinds = [...new Set(result.hostile.map(({ kind }) => kind))]
    .map((kind) => {
      const files = result.hostile.filter((file) => file.kind === kind);
      const outcomes = [...new Set(files.map(({ outcome }) => outcome))].join('; ');
      return {
        kind,
        p95: percentile(
          files.map(({ ms }) => ms),
          0.95,
        ),
        files: files.length,
        outcomes,
      };
    })
    .toSorted((a, b) => b.p95 - a.p95);
  const breaches = shortfalls(result);
  return [
    '',
    'medium   p50 alone      p95 p50 noisy      p95    ratio',
    ...rows,
    '',
    `${result.waitingAtEnd} hostile files had not ended when the last ordinary one ended.`,
    ...kinds.map((k) => `${k.kind.padEnd(24)}${String(k.files).padStart(4)}${s(k.p95)}  ${k.outcomes}`),
    '',
    ...(breaches.length === 0
      ? ['Every p95 of images is at most twice the p95 alone, of the others three times.']
      : breaches),
  ].join('\n');
}

function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? NaN;
}
