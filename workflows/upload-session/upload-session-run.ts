import {
  FILES_IN_FLIGHT,
  type UploadSessionResult,
  type UploadSessionFile,
  type UploadSessionView,
} from '../../temporal/contract/upload-session.ts';

type FileState = 'waiting' | 'running' | 'settled';
type Row = Omit<UploadSessionView, 'files' | 'next'>;

interface Entry {
  file: UploadSessionFile;
  state: FileState;
}

/** The state of one run of `uploadSession`: pure, so that tests drive it without an engine. */
export class UploadSessionRun {
  readonly #files = new Map<string, Entry>();
  #row: Row = { open: true, sealed: false, paused: false };
  /** Whether the row may have changed since it was read. */
  stale = true;

  get open(): boolean {
    return this.#row.open;
  }

  get sealed(): boolean {
    return this.#row.sealed;
  }

  /** Whether its row was cancelled. */
  get cancelled(): boolean {
    return this.#row.cancelled ?? false;
  }

  /** No more files can arrive and all known ones have ended. */
  get finished(): boolean {
    return !this.open || (this.sealed && this.#count('settled') === this.#files.size);
  }

  /** Whether any file is running. */
  get working(): boolean {
    return this.#count('running') > 0;
  }

  /** Adds files that arrived or were reopened for a retry; a known generation is ignored. */
  stored(files: readonly UploadSessionFile[]): void {
    for (const file of files) {
      const known = this.#files.get(file.fileId);
      if (known && known.file.generation >= file.generation) continue;
      this.#files.set(file.fileId, { file, state: 'waiting' });
    }
  }

  /**
   * Applies the row. A running file that is no longer among the unfinished has ended. One that ended here but not in
   * its row stays ended: its run ended abnormally, and the reconciler writes that to the row.
   */
  refreshed(row: Row, unfinished: readonly UploadSessionFile[]): void {
    this.#row = row;
    const open = new Set(unfinished.map(({ fileId }) => fileId));
    for (const [fileId, entry] of this.#files) {
      if (entry.state === 'running' && !open.has(fileId)) entry.state = 'settled';
    }
    this.stored(unfinished);
  }

  /** The files to start now, in order of arrival. */
  startable(): UploadSessionFile[] {
    if (!this.open || this.#row.paused) return [];
    const free = FILES_IN_FLIGHT - this.#count('running');
    return [...this.#files.values()]
      .filter(({ state }) => state === 'waiting')
      .slice(0, Math.max(0, free))
      .map(({ file }) => file);
  }

  started(fileId: string): void {
    const known = this.#files.get(fileId);
    if (known) known.state = 'running';
  }

  /** @param generation of the run that ended; ignored if older than the known one */
  settled(fileId: string, generation: number): void {
    const known = this.#files.get(fileId);
    if (known && generation >= known.file.generation) known.state = 'settled';
  }

  result(): UploadSessionResult {
    return { files: this.#files.size, ended: this.#count('settled') };
  }

  /** The last line for operators of a session that was cancelled. */
  describeCancelled(): string {
    const left = this.#files.size - this.#count('settled');
    return `Cancelled: ${this.#count('settled')} of ${this.#files.size} files ended, ${left} did not begin.`;
  }

  /** One line for operators. */
  describe(): string {
    const { paused, sealed } = this.#row;
    const done = `${this.#count('settled')} of ${this.#files.size} files ended`;
    const work = `${this.#count('running')} in progress, ${this.#count('waiting')} waiting`;
    const note = paused ? ' Paused.' : sealed ? '' : ' More may arrive.';
    return `${done}, ${work}.${note}`;
  }

  #count(wanted: FileState): number {
    let count = 0;
    for (const { state } of this.#files.values()) if (state === wanted) count += 1;
    return count;
  }
}
