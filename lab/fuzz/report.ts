import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PartResult } from './run-part.ts';

/** A table of the parts, with the counts of each refusal and crash, and each finding. */
export function reportParts(results: readonly PartResult[]): string {
  const columns = ['accepted', 'refused', 'crashed'] as const;
  const cell = (value: number | string): string => String(value).padStart(10);
  const rows = results.flatMap(({ name, cases, outcomes, findings }) => {
    const of = (column: (typeof columns)[number]) =>
      [...outcomes.values()].filter(({ outcome }) => outcome.result === column);
    const total = (counts: readonly { count: number }[]) => counts.reduce((sum, { count }) => sum + count, 0);
    const details = columns.flatMap((column) => {
      const counts = of(column).toSorted((a, b) => b.count - a.count);
      const texts = counts.map(({ outcome, count }) => `${outcome.code} ${count}`);
      return texts.length > 0 ? [`  ${column}: ${texts.join(', ')}`] : [];
    });
    return [
      name.padEnd(10) +
        [cases, ...columns.map((column) => total(of(column))), total(findings)].map(cell).join(''),
      ...details,
      ...findings.map(({ kind, count }) => `  finding: ${kind} (${count} times)`),
    ];
  });
  return ['part'.padEnd(10) + ['cases', ...columns, 'findings'].map(cell).join(''), ...rows].join('\n');
}

/** What keeps the parts from passing; empty if nothing does. A crash that was reported as such is no shortfall. */
export function shortfallsOfParts(results: readonly PartResult[]): string[] {
  return results.flatMap(({ name, asked, cases, findings }) => [
    ...(cases < asked ? [`${name}: ${cases} inputs, fewer than the ${asked} asked for`] : []),
    ...findings.map(({ kind }) => `${name}: ${kind}`),
  ]);
}

/**
 * Writes the inputs of findings and crashes to a folder, each as a file and, beside it, a text with the reason.
 *
 * @returns how many inputs there were
 */
export function saveFindings(results: readonly PartResult[], folder: string, seed: number): number {
  const all = results.flatMap(({ name, findings, crashes }) => [
    ...findings.map((finding, at) => ({ file: `${name}-${at + 1}`, ...finding })),
    ...crashes.map((crash, at) => ({ file: `${name}-crash-${at + 1}`, ...crash })),
  ]);
  for (const { file, kind, count, detail, input, extension, bytes } of all) {
    writeFileSync(join(folder, `${file}.${extension}`), bytes);
    const reason = `${kind}\n${count} inputs, seed ${seed}\n\n${detail}\n\n${input}\n`;
    writeFileSync(join(folder, `${file}.reason.txt`), reason);
  }
  return all.length;
}
