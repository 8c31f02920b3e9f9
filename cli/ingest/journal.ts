import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { isErrno } from '../../dev/processes/json-file.ts';
import type { LocalFile } from './plan-transfers.ts';

/** One line of the journal. An entry with a key is open until a `closed` entry with that key. */
export type JournalEntry =
  | { type: 'hash'; path: string; size: number; mtime: number; sha256: string }
  /** About to be sent: without a later entry it is unknown whether it arrived. */
  | { type: 'sending'; key: string; files: { path: string; sha256: string }[] }
  /** Sent, and being processed. */
  | { type: 'session'; key: string; id: string; paths: string[]; rejected: number }
  | { type: 'file'; key: string; id: string; path: string }
  | { type: 'closed'; key: string };
export type OpenEntry = Extract<JournalEntry, { type: 'sending' | 'session' | 'file' }>;

const HASHES_A_WRITE = 256;

/** Default path of the journal of a folder. */
export function journalPath(folder: string, apiUrl: string, env: NodeJS.ProcessEnv): string {
  const state = env['XDG_STATE_HOME'] || join(homedir(), '.local', 'state');
  const name = createHash('sha256').update(`${folder}\n${apiUrl}`).digest('hex').slice(0, 16);
  return join(state, 'darkroom', 'ingest', `${name}.jsonl`);
}

/**
 * The progress of a folder as JSON lines, synced to disk before anything relies on it. Hashes are only a cache; the API
 * is the authority on the received files.
 */
export class Journal {
  readonly path: string;
  readonly open: ReadonlyMap<string, OpenEntry>;
  readonly #hashes = new Map<string, Extract<JournalEntry, { type: 'hash' }>>();
  readonly #open = new Map<string, OpenEntry>();
  readonly #handle: FileHandle;
  #waiting: string[] = [];
  #writing: Promise<void> = Promise.resolve();

  private constructor(path: string, handle: FileHandle, entries: JournalEntry[]) {
    this.path = path;
    this.#handle = handle;
    this.open = this.#open;
    for (const entry of entries) this.#apply(entry);
  }

  /**
   * Reads a journal, or creates one. Drops obsolete entries and a line truncated by a crash.
   *
   * @throws the system's error if the path is not writable
   */
  static async at(path: string): Promise<Journal> {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const entries = kept(readEntries(path));
    const draft = `${path}.${process.pid}.tmp`;
    writeFileSync(draft, entries.map(line).join(''), { mode: 0o600, flush: true });
    renameSync(draft, path);
    return new Journal(path, await open(path, 'a'), entries);
  }

  /** The known hash of a file, if its size and mtime have not changed. */
  hashOf({ path, sizeBytes, mtimeMs }: LocalFile): string | undefined {
    const known = this.#hashes.get(path);
    return known?.size === sizeBytes && known.mtime === mtimeMs ? known.sha256 : undefined;
  }

  /** Resolves when the entries are on disk. */
  async append(...entries: JournalEntry[]): Promise<void> {
    for (const entry of entries) this.#apply(entry);
    this.#waiting.push(...entries.map(line));
    await this.#flush();
  }

  /** Writes a hash with a later flush. */
  async noteHash(file: LocalFile, sha256: string): Promise<void> {
    const entry = {
      type: 'hash',
      path: file.path,
      size: file.sizeBytes,
      mtime: file.mtimeMs,
      sha256,
    } as const;
    this.#apply(entry);
    this.#waiting.push(line(entry));
    if (this.#waiting.length >= HASHES_A_WRITE) await this.#flush();
  }

  async close(): Promise<void> {
    await this.#flush();
    await this.#handle.close();
  }

  #flush(): Promise<void> {
    const write = async () => {
      const lines = this.#waiting.splice(0);
      if (lines.length === 0) return;
      await this.#handle.appendFile(lines.join(''));
      await this.#handle.datasync();
    };
    this.#writing = this.#writing.then(write);
    return this.#writing;
  }

  #apply(entry: JournalEntry): void {
    if (entry.type === 'hash') this.#hashes.set(entry.path, entry);
    else if (entry.type === 'closed') this.#open.delete(entry.key);
    else this.#open.set(entry.key, entry);
  }
}

const line = (entry: JournalEntry) => `${JSON.stringify(entry)}\n`;

function readEntries(path: string): JournalEntry[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return [];
    throw error;
  }
  return text.split('\n').flatMap((line): JournalEntry[] => {
    try {
      return [JSON.parse(line) as JournalEntry];
    } catch {
      return [];
    }
  });
}

/** The last hash of each path, and open entries. */
function kept(entries: JournalEntry[]): JournalEntry[] {
  const last = new Map<string, JournalEntry>();
  for (const entry of entries) {
    if (entry.type === 'hash') last.set(`hash ${entry.path}`, entry);
    else if (entry.type === 'closed') last.delete(`open ${entry.key}`);
    else last.set(`open ${entry.key}`, entry);
  }
  return [...last.values()];
}
