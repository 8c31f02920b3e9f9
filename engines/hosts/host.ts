import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { Socket } from 'node:net';
import { dirname, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker, type ResourceLimits } from 'node:worker_threads';
import { makeTemporaryFolder } from '../temporary-folders.ts';
import { CHANNEL, readMessages, sendMessage } from './channel.ts';
import { containedCommand, PROJECT_CODE } from './containment/plan.ts';
import { lowerPriority, processUse, type ResourceUse } from './processor-time.ts';

/**
 * A child process or a thread that works for this one: a module that exports `handle`, which is called with each
 * message and whose result is sent back. While idle, it does not keep this process alive.
 */
export interface Host {
  /** Whether it is a process or a thread, and its module: `process image-decoder/decoder-process`. */
  readonly name: string;
  /** The only folder with data that a contained process can read. */
  readonly folder?: string;
  post(message: object): void;
  onMessage(listener: (message: unknown) => void): void;
  /** Resolves with the reason when it has ended. */
  readonly ended: Promise<HostEnded>;
  isAlive(): boolean;
  /** Resource use since its start; undefined if it cannot be read. */
  use(): Promise<ResourceUse | undefined>;
  /** Lowers the priority of a process; this cannot be undone. */
  lowerPriority(): Promise<void>;
  setBusy(busy: boolean): void;
  /** Resolves when it has ended. */
  kill(): Promise<void>;
}

/** A host ended before its work was done: a crash, which is retryable, or a task over its budget. */
export class HostEnded extends Error {
  override readonly name = 'HostEnded';
  readonly why: 'crash' | 'time' | 'memory';
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;

  constructor(
    why: HostEnded['why'],
    { exitCode = null, signal = null, cause }: Partial<Pick<HostEnded, 'exitCode' | 'signal' | 'cause'>> = {},
  ) {
    const how = why === 'crash' ? `crashed (${signal ?? `exit code ${exitCode}`})` : `used too much ${why}`;
    super(`A child process or thread ${how}.`, { cause });
    this.why = why;
    this.exitCode = exitCode;
    this.signal = signal;
  }
}

export interface ProcessOptions {
  module: URL;
  /** Arguments after the module's path. */
  args?: readonly string[];
  execArgv?: readonly string[];
  /** Variables beside those that every process gets. */
  env?: Readonly<Record<string, string>>;
  stderr: 'ignore' | 'inherit';
  /** For a process that touches bytes of a tenant: it can only compute, see containment/plan.ts. */
  contained?: {
    /** The only TCP port to which it may connect. */
    port?: number;
    /** Whether it gets a folder. */
    readsFiles?: true;
  };
}

const ENTRY = new URL('./entry.ts', import.meta.url);
/** Of what a process loads, most is compiled already. One that is contained reads it beside the code, and writes nothing there. */
const COMPILED: Readonly<Record<string, string>> = compiledCode(getCompileCacheDir());
/** Omits the parent's environment, which has keys. Two arenas keep glibc from hoarding memory per thread. */
const ENVIRONMENT = { MALLOC_ARENA_MAX: '2', ...COMPILED };

/** V8 reserves 8 GB of addresses, not of memory, for each WebAssembly: of documents, `fetch`, and types. */
const MAX_ADDRESS_BYTES = 64 * 2 ** 30;
/** What a process may write to its standard error in all: warnings of its libraries. */
const MAX_STDERR_BYTES = 16 * 1024;

/** The setting of a cache that is part of the code, which contained processes can read. The flags of a process are part of `version`. */
function compiledCode(version: string | undefined): Readonly<Record<string, string>> {
  const isCode = PROJECT_CODE.some((folder) => version?.startsWith(folder + sep));
  return version !== undefined && isCode ? { NODE_COMPILE_CACHE: dirname(version) } : {};
}

export function startProcess(options: ProcessOptions): Host {
  const { module, args = [], execArgv = [], env = {}, stderr, contained } = options;
  const folder = contained?.readsFiles && makeTemporaryFolder('child');
  const program = [process.execPath, ...execArgv, fileURLToPath(ENTRY), module.href, ...args];
  const reads = folder === undefined ? PROJECT_CODE : [...PROJECT_CODE, folder];
  const grants = { ...contained, reads, addressSpaceBytes: MAX_ADDRESS_BYTES };
  const launch = contained && containedCommand(program, grants, CHANNEL);
  const [command, commandArgs] = launch ?? [process.execPath, program.slice(1)];
  const child = spawn(command, commandArgs, {
    env: { ...ENVIRONMENT, ...env },
    // Not our own standard error, which may be a terminal, or a file that it is not to fill.
    stdio: ['ignore', 'ignore', stderr === 'inherit' ? 'pipe' : 'ignore', 'pipe'],
  });
  let said = 0;
  child.stderr?.on('data', (chunk: Buffer) => {
    const text = chunk.subarray(0, Math.max(0, MAX_STDERR_BYTES - said)).toString();
    said += chunk.length;
    // On one line, so that it is no entry of the log.
    if (text !== '') process.stderr.write(`child process ${child.pid}: ${JSON.stringify(text)}\n`);
  });
  (child.stderr as Socket | null)?.unref();
  // Without streams, too many files are open, and an error follows.
  const channel = ((child.stdio as typeof child.stdio | undefined)?.[CHANNEL] ?? new Socket()) as Socket;
  const kill = (): void => void child.kill('SIGKILL');
  let listener: ((message: unknown) => void) | undefined;
  let unanswered = 0;
  readMessages(
    channel,
    (message) => {
      // More replies than messages would keep this process busy.
      if ((unanswered -= 1) < 0) kill();
      else listener?.(message);
    },
    kill,
  );
  // Its end is the end of the process, which says how.
  channel.on('error', kill).on('close', kill);
  const { end, ...life } = createLife();
  if (folder !== undefined) void life.ended.then(() => rmSync(folder, { recursive: true, force: true }));
  child.once('exit', (exitCode, signal) => end(new HostEnded('crash', { exitCode, signal })));
  // A process that could not be started emits no exit event.
  child.on('error', (cause) => end(new HostEnded('crash', { cause })));
  let killed = false;
  const setBusy = (busy: boolean): void => {
    if (busy || killed) {
      child.ref();
      channel.ref();
    } else {
      child.unref();
      channel.unref();
    }
  };
  setBusy(false);
  return {
    name: `process ${moduleName(module)}`,
    ...life,
    ...(folder !== undefined && { folder }),
    post(message) {
      sendMessage(channel, message);
      unanswered += 1;
    },
    onMessage(given) {
      listener = given;
    },
    use: () => processUse(child.pid),
    lowerPriority: () => lowerPriority(child.pid),
    setBusy,
    async kill() {
      if (!life.isAlive()) return;
      // The caller waits for its end, perhaps with no other work pending, and after a last reply.
      killed = true;
      setBusy(true);
      child.kill('SIGKILL');
      await life.ended;
    },
  };
}

export interface ThreadOptions {
  module: URL;
  /** Arguments after the module's path. */
  args?: readonly string[];
  resourceLimits?: ResourceLimits;
  /** Its `workerData`, also memory that is shared with it. */
  data?: unknown;
  /** Suppresses its output. */
  quiet?: boolean;
}

export function startThread(options: ThreadOptions): Host {
  const { module, args = [], resourceLimits = {}, data, quiet = false } = options;
  const argv = [module.href, ...args];
  const worker = new Worker(ENTRY, { argv, env: COMPILED, stdout: quiet, resourceLimits, workerData: data });
  const { end, ...life } = createLife();
  worker.on('error', (cause: Error & { code?: string }) =>
    end(new HostEnded(cause.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'crash', { cause })),
  );
  worker.on('exit', (exitCode) => end(new HostEnded('crash', { exitCode })));
  worker.unref();
  let killed = false;
  return {
    name: `thread ${moduleName(options.module)}`,
    ...life,
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- of a thread, not of a window
    post: (message) => worker.postMessage(message),
    onMessage: (listener) => void worker.on('message', listener),
    async use() {
      try {
        const [{ user, system }, heap] = await Promise.all([worker.cpuUsage(), worker.getHeapStatistics()]);
        return { cpuMs: (user + system) / 1000, bytes: heap.total_heap_size };
      } catch {
        return undefined;
      }
    },
    lowerPriority: () => Promise.resolve(),
    setBusy: (busy) => (busy || killed ? worker.ref() : worker.unref()),
    async kill() {
      killed = true;
      await worker.terminate();
    },
  };
}

/** The last folder and the file, without its extension. */
function moduleName({ pathname }: URL): string {
  return pathname.split('/').slice(-2).join('/').replace(/\.ts$/, '');
}

function createLife() {
  const { promise, resolve } = Promise.withResolvers<HostEnded>();
  let alive = true;
  return {
    ended: promise,
    isAlive: () => alive,
    end: (how: HostEnded) => {
      alive = false;
      resolve(how);
    },
  };
}
