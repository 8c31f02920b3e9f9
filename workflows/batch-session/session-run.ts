import {
  FILES_IN_FLIGHT,
  type BatchSessionResult,
  type SessionFile,
  type SessionView,
} from '../../temporal/contract/batch-session.ts';

/** `elsewhere`: at work in a run that this session did not start and cannot await. */
type FileState = 'waiting' | 'running' | 'elsewhere' | 'settled';

interface Entry {
  file: SessionFile;
  state: FileState;
  /** Whether the engine has its run, so that it can be signalled. */
  begun: boolean;
  /** What its run was last told of a pause: it begins without one. Unknown of runs that we did not start. */
  paused: boolean | undefined;
}

/** The state of one run of `batchSession`: pure, so that tests drive it without an engine. */
export class SessionRun {
  readonly #files = new Map<string, Entry>();
  #view: Omit<SessionView, 'files' | 'next'> = { open: true, sealed: false, paused: false };
  /** Whether the row may know more than we do. */
  stale = true;

  get open(): boolean {
    return this.#view.open;
  }

  get sealed(): boolean {
    return this.#view.sealed;
  }

  get paused(): boolean {
    return this.#view.paused;
  }

  /** Nothing more can come and all that came has ended, as far as we know. */
  get finished(): boolean {
    return !this.open || (this.sealed && this.#count('settled') === this.#files.size);
  }

  /** Whether a file that we started has not ended. */
  get working(): boolean {
    return this.#count('running') > 0;
  }

  /** Whether only the row can tell when the rest is done. */
  get waitsElsewhere(): boolean {
    return this.#count('elsewhere') > 0;
  }

  /** Files to be cancelled by id, because no child handle leads to them. */
  get elsewhere(): string[] {
    return [...this.#files].filter(([, { state }]) => state === 'elsewhere').map(([fileId]) => fileId);
  }

  /** Files that came, or were opened again; what is known already counts once. */
  stored(files: readonly SessionFile[]): void {
    for (const file of files) {
      const known = this.#files.get(file.fileId);
      if (known && known.file.generation >= file.generation) continue;
      this.#files.set(file.fileId, { file, state: 'waiting', begun: false, paused: false });
    }
  }

  /**
   * Takes over what the row says. A file that we hold for ended and the row does not is at work elsewhere, as is one
   * that we have not started and somebody has: a run of this session before, which was reset or deleted. One that is
   * not among the unfinished any more has ended.
   */
  looked(view: Omit<SessionView, 'files' | 'next'>, unfinished: readonly SessionFile[]): void {
    this.#view = view;
    const open = new Set(unfinished.map(({ fileId }) => fileId));
    for (const [fileId, entry] of this.#files) {
      if (open.has(fileId)) {
        if (entry.state === 'settled') entry.state = 'elsewhere';
      } else if (entry.state === 'elsewhere') {
        entry.state = 'settled';
      }
    }
    this.stored(unfinished);
    for (const { fileId, started } of unfinished) {
      if (started && this.#files.get(fileId)?.state === 'waiting') this.startedElsewhere(fileId);
    }
  }

  /** The files to start now, in the order in which they came. */
  startable(): SessionFile[] {
    if (!this.open || this.paused) return [];
    const free = FILES_IN_FLIGHT - this.#count('running') - this.#count('elsewhere');
    return [...this.#files.values()]
      .filter(({ state }) => state === 'waiting')
      .slice(0, Math.max(0, free))
      .map(({ file }) => file);
  }

  started(fileId: string): void {
    this.#move(fileId, 'running');
  }

  /** The engine has the run of a file that we started. */
  began(fileId: string): void {
    const entry = this.#files.get(fileId);
    if (entry) entry.begun = true;
  }

  startedElsewhere(fileId: string): void {
    const entry = this.#files.get(fileId);
    if (entry)
      Object.assign(entry, { state: 'elsewhere', begun: true, paused: undefined } satisfies Partial<Entry>);
  }

  /** Files under way whose runs were last told something else of a pause than what the row says. */
  untold(): SessionFile[] {
    if (!this.open) return [];
    return [...this.#files.values()]
      .filter(({ state, begun }) => begun && (state === 'running' || state === 'elsewhere'))
      .filter(({ paused }) => paused !== this.paused)
      .map(({ file }) => file);
  }

  told(fileId: string, paused: boolean): void {
    const entry = this.#files.get(fileId);
    if (entry) entry.paused = paused;
  }

  /** @param generation of the run that ended; an older one than we know says nothing */
  settled(fileId: string, generation?: number): void {
    const known = this.#files.get(fileId)?.file.generation ?? 0;
    if (generation === undefined || generation >= known) this.#move(fileId, 'settled');
  }

  /** What is shown as the result of the run. */
  result(): BatchSessionResult {
    return { files: this.#files.size, ended: this.#count('settled') };
  }

  /** One line for operators. */
  describe(): string {
    const { paused, sealed } = this.#view;
    const done = `${this.#count('settled')} of ${this.#files.size} files ended`;
    const work = `${this.#count('running') + this.#count('elsewhere')} at work, ${this.#count('waiting')} waiting`;
    const note = paused ? ' Paused.' : sealed ? '' : ' More may come.';
    return `${done}, ${work}.${note}`;
  }

  #move(fileId: string, state: FileState): void {
    const entry = this.#files.get(fileId);
    if (entry) entry.state = state;
  }

  #count(wanted: FileState): number {
    let count = 0;
    for (const { state } of this.#files.values()) if (state === wanted) count += 1;
    return count;
  }
}
