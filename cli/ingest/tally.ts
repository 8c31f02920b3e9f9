import type { Failure, HashedFile } from './plan-transfers.ts';
import { printable } from '../../domain/text.ts';

type Outcome =
  | { kind: 'sent' }
  /** The API already had this content, or another file of the folder has the same content. */
  | { kind: 'present' }
  /** The API does not accept such files. */
  | ({ kind: 'rejected' } & Failure)
  | ({ kind: 'failed' } & Failure);

/** Codes of files whose type or size is not accepted. */
const REJECTIONS = new Set(['UNSUPPORTED_MEDIA', 'EMPTY_FILE', 'FILE_TOO_LARGE']);

/** The outcome of each file. */
export class Tally {
  readonly #outcomes = new Map<string, Outcome>();
  readonly #twins = new Map<string, HashedFile[]>();
  #sentBytes = 0;

  /** Registers files of equal content: the first is sent, the others share its outcome. */
  share(files: readonly HashedFile[]): void {
    const [first, ...others] = files;
    if (first) this.#twins.set(first.path, others);
  }

  sent({ path, sizeBytes }: HashedFile): void {
    this.#set(path, { kind: 'sent' });
    for (const twin of this.#twins.get(path) ?? []) this.#set(twin.path, { kind: 'present' });
    this.#sentBytes += sizeBytes;
  }

  present(path: string): void {
    for (const each of [path, ...this.#twinPaths(path)]) this.#set(each, { kind: 'present' });
  }

  /** Also for a file that was sent but failed in processing. */
  failed(path: string, failure: Failure): void {
    const kind = REJECTIONS.has(failure.code) ? 'rejected' : 'failed';
    for (const each of [path, ...this.#twinPaths(path)]) this.#set(each, { kind, ...failure });
  }

  get sentBytes(): number {
    return this.#sentBytes;
  }

  count(kind: Outcome['kind']): number {
    return [...this.#outcomes.values()].filter((outcome) => outcome.kind === kind).length;
  }

  /** Sorted by path. */
  failures(): (Failure & { path: string })[] {
    return [...this.#outcomes]
      .flatMap(([path, outcome]) => ('code' in outcome ? [{ path, ...outcome }] : []))
      .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  }

  #twinPaths(path: string): string[] {
    return (this.#twins.get(path) ?? []).map((twin) => twin.path);
  }

  #set(path: string, outcome: Outcome): void {
    this.#outcomes.set(path, outcome);
  }
}

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
