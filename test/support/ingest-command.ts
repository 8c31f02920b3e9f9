import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { uniqueImage } from './images.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export interface IngestTarget {
  api: string;
  key: string;
}

export interface Ended {
  code: number | null;
  out: string;
  err: string;
}

/** A temporary folder to upload, with the state file of the command. */
export class IngestFolder implements Disposable {
  readonly #home = mkdtempSync(join(tmpdir(), 'darkroom-ingest-'));
  readonly path = join(this.#home, 'images');
  readonly state = join(this.#home, 'state.jsonl');
  /** Tag of every uploaded file, so that a test can count its own files. */
  readonly tag = `t${randomUUID().slice(0, 8)}`;

  constructor() {
    mkdirSync(this.path);
  }

  write(path: string, bytes: Uint8Array | string): void {
    const file = join(this.path, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes);
  }

  /** Small images with unique content. */
  async writeImages(count: number, under = ''): Promise<void> {
    for (let index = 0; index < count; index += 1) {
      this.write(join(under, `image-${String(index).padStart(3, '0')}.jpg`), await uniqueImage());
    }
  }

  /** Starts the command. */
  start({ api, key }: IngestTarget, ...flags: string[]) {
    const args = ['--api', api, '--key', key, '--state', this.state, '--tags', this.tag, ...flags];
    return startIngest([this.path, ...args]);
  }

  [Symbol.dispose](): void {
    rmSync(this.#home, { recursive: true, force: true });
  }
}

/** Starts the command with any arguments, with only PATH and the compile cache of this process's environment. */
export function startIngest(args: string[], env: Record<string, string> = {}) {
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
  const child = spawn(process.execPath, ['cli/ingest/main.ts', ...args], {
    cwd: ROOT,
    env: { PATH, NODE_COMPILE_CACHE, DARKROOM_HOME: '/nonexistent', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A hanging command fails its test instead of outliving the test run.
    timeout: 200_000,
    killSignal: 'SIGKILL',
  });
  const said = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => (said.out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (said.err += chunk.toString()));
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, ...said }));
  });
  return { ended, said, kill: (signal: NodeJS.Signals) => child.kill(signal) };
}
