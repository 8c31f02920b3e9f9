import { printable } from '../../domain/printable.ts';
import type { Tally } from './tally.ts';

/** More would only scroll away; the next run lists the others. */
const MOST_ROWS = 500;
const WIDEST_PATH = 60;
const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** A table with a row per failed file; empty if none failed. */
export function failureTable(tally: Tally): string[] {
  const failures = tally.failures();
  if (failures.length === 0) return [];
  const rows = failures
    .slice(0, MOST_ROWS)
    .map(({ path, where, code, message }) => [printable(path, 4096), where, code, printable(message, 200)]);
  const table = [['File', 'Where', 'Code', 'Why'], ...rows];
  const widths = [0, 1, 2].map((column) =>
    Math.min(WIDEST_PATH, Math.max(...table.map((row) => row[column]?.length ?? 0))),
  );
  const lines = table.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const more = failures.length - rows.length;
  return more > 0 ? [...lines, `… and ${more} more`] : lines;
}

/** `12 sent (3.4 MB), 2 already there, 1 rejected, 0 failed, in 4.2 s.` */
export function summaryLine(tally: Tally, total: number, elapsedMs: number): string {
  const [sent, present] = [tally.count('sent'), tally.count('present')];
  const [rejected, failed] = [tally.count('rejected'), tally.count('failed')];
  const left = total - sent - present - rejected - failed;
  return [
    `${sent} sent (${humanBytes(tally.sentBytes)})`,
    `${present} already there`,
    `${rejected} rejected`,
    `${failed} failed`,
    ...(left > 0 ? [`${left} unfinished`] : []),
    `in ${(elapsedMs / 1000).toFixed(1)} s.`,
  ].join(', ');
}

export function humanBytes(bytes: number): string {
  const power = bytes < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${power === 0 ? bytes : (bytes / 1000 ** power).toFixed(1)} ${UNITS[power]}`;
}
