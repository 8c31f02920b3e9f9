import type { Failure, HashedFile } from './local-file.ts';

export type Outcome =
  | { kind: 'sent' }
  /** The API already had its content, or another file of the folder has the same. */
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
