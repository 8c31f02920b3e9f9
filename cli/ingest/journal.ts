import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { isErrno } from '../../dev/processes/json-file.ts';
import type { LocalFile } from './local-file.ts';

/** One line of the file. What is open under a key stays so until it is closed. */
export type JournalEntry =
  | { type: 'hash'; path: string; size: number; mtime: number; sha256: string }
  /** Is about to be sent: whether it arrived is not known until there is more. */
  | { type: 'sending'; key: string; files: { path: string; sha256: string }[] }
  /** Was sent, and is being processed. */
  | { type: 'session'; key: string; id: string; paths: string[]; rejected: number }
  | { type: 'file'; key: string; id: string; path: string }
  | { type: 'closed'; key: string }
  /** A part of a direct upload that the API has confirmed. */
  | { type: 'part'; upload: string; number: number };
export type OpenEntry = Extract<JournalEntry, { type: 'sending' | 'session' | 'file' }>;

const HASHES_A_WRITE = 256;

/** Where the journal of a folder is when the user names no other place. */
export function journalPath(folder: string, apiUrl: string, env: NodeJS.ProcessEnv): string {
  const state = env['XDG_STATE_HOME'] || join(homedir(), '.local', 'state');
  const name = createHash('sha256').update(`${folder}\n${apiUrl}`).digest('hex').slice(0, 16);
  return join(state, 'darkroom', 'ingest', `${name}.jsonl`);
}

/**
 * What is known of a folder, one JSON a line, on the disk before anything rests on it. Only hashes are a matter of
 * speed; what is at the API is asked there.
 */
export class Journal {
  readonly path: string;
  readonly open: ReadonlyMap<string, OpenEntry>;
  readonly #hashes = new Map<string, Extract<JournalEntry, { type: 'hash' }>>();
  readonly #parts = new Map<string, Set<number>>();
  readonly #open = new Map<string, OpenEntry>();
  readonly #handle: FileHandle;
  #waiting: string[] = [];
  #writing: Promise<void> = Promise.resolve();

  private constructor(path: string, handle: FileHandle, entries: JournalEntry[]) {
    this.path = path;
    this.#handle = handle;
    this.open = this.#open;
    for (const entry of entries) this.#take(entry);
  }

  /**
   * Reads a journal, or begins one. What no longer counts, and a line that was cut off by a crash, is dropped.
   *
   * @throws the system's error when the place cannot be written
   */
  static async at(path: string): Promise<Journal> {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const entries = kept(readEntries(path));
    const draft = `${path}.${process.pid}.tmp`;
    writeFileSync(draft, entries.map(line).join(''), { mode: 0o600, flush: true });
    renameSync(draft, path);
    return new Journal(path, await open(path, 'a'), entries);
  }

  /** Of a file that has not changed since. */
  hashOf({ path, sizeBytes, mtimeMs }: LocalFile): string | undefined {
    const known = this.#hashes.get(path);
    return known?.size === sizeBytes && known.mtime === mtimeMs ? known.sha256 : undefined;
  }

  partsOf(upload: string): ReadonlySet<number> {
    return this.#parts.get(upload) ?? new Set();
  }

  /** Resolves when the entries are on the disk. */
  async append(...entries: JournalEntry[]): Promise<void> {
    for (const entry of entries) this.#take(entry);
    this.#waiting.push(...entries.map(line));
    await this.#flush();
  }

  /** Writes a hash some time. */
  async noteHash(file: LocalFile, sha256: string): Promise<void> {
    const entry = {
      type: 'hash',
      path: file.path,
      size: file.sizeBytes,
      mtime: file.mtimeMs,
      sha256,
    } as const;
    this.#take(entry);
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

  #take(entry: JournalEntry): void {
    if (entry.type === 'hash') this.#hashes.set(entry.path, entry);
    else if (entry.type === 'closed') this.#open.delete(entry.key);
    else if (entry.type === 'part') {
      const parts = this.#parts.get(entry.upload) ?? new Set();
      this.#parts.set(entry.upload, parts.add(entry.number));
    } else this.#open.set(entry.key, entry);
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

/** The last hash of each path, what is still open, and parts while any upload is. */
function kept(entries: JournalEntry[]): JournalEntry[] {
  const last = new Map<string, JournalEntry>();
  for (const entry of entries) {
    if (entry.type === 'hash') last.set(`hash ${entry.path}`, entry);
    else if (entry.type === 'part') last.set(`part ${entry.upload} ${entry.number}`, entry);
    else if (entry.type === 'closed') last.delete(`open ${entry.key}`);
    else last.set(`open ${entry.key}`, entry);
  }
  const all = [...last.values()];
  return all.some(({ type }) => type === 'sending') ? all : all.filter(({ type }) => type !== 'part');
}
