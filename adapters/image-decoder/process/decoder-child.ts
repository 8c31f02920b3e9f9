import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { DecoderCrashed, DecoderTimeout, ImageRefused } from '../errors.ts';
import type { DecodeReply, TaskName, Tasks } from './messages.ts';

export interface DecodeOptions {
  /** Shown in the process list, as `darkroom-decoder <label>`. */
  label: string;
  /** Aborting kills the child and rejects with the reason. */
  signal?: AbortSignal | undefined;
}

/** One child process, which handles one image at a time. */
export interface DecoderChild {
  /** Rejects with `ImageRefused`, or `DecoderCrashed`, `DecoderTimeout` or the abort reason, which end the child. */
  run<Name extends TaskName>(task: Task<Name>, options: DecodeOptions): Promise<Tasks[Name]['result']>;
  /** Alive, and within its limits for images and memory. */
  isFit(): boolean;
  /** Resolves when the process has exited. */
  kill(): Promise<void>;
}

export interface Task<Name extends TaskName> {
  task: Name;
  options: Tasks[Name]['options'];
  original: Uint8Array;
}

export interface DecoderChildLimits {
  timeoutMs: number;
  /** A child is replaced after this many images or above this memory, because codecs do not free everything. */
  maxImages: number;
  maxRssBytes: number;
}

const ENTRY = fileURLToPath(new URL('./child.ts', import.meta.url));
/** A process title is stored in the space of the original arguments, so one of them reserves room. */
const ROOM_FOR_TITLE = '-'.repeat(128);
/** Nothing of the parent's environment, which has keys. Two arenas keep glibc from hoarding freed memory per thread. */
const ENVIRONMENT = { MALLOC_ARENA_MAX: '2' };

export function startDecoderChild({ timeoutMs, maxImages, maxRssBytes }: DecoderChildLimits): DecoderChild {
  const child = fork(ENTRY, [ROOM_FOR_TITLE], {
    serialization: 'advanced',
    execArgv: [],
    env: ENVIRONMENT,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  let alive = true;
  let images = 0;
  let rssBytes = 0;
  child.once('exit', () => (alive = false));
  // A process that could not be started emits no exit event.
  child.on('error', () => (alive = false));

  return {
    async run(task, { label, signal }) {
      let killedFor: Error | undefined;
      const kill = (reason: Error): void => {
        killedFor ??= reason;
        child.kill('SIGKILL');
      };
      const onAbort = (): void => kill(signal?.reason as Error);
      const timer = setTimeout(() => kill(new DecoderTimeout(timeoutMs)), timeoutMs);
      signal?.addEventListener('abort', onAbort, { once: true });
      const settled = new AbortController();
      try {
        const answer = once(child, 'message', { signal: settled.signal });
        const death = once(child, 'exit', { signal: settled.signal });
        child.send({ ...task, label }, (error) => error && kill(error));
        const reply = await Promise.race([
          answer.then(([reply]) => reply as DecodeReply),
          death.then(([code, signal]) => Promise.reject(killedFor ?? new DecoderCrashed(code, signal))),
        ]);
        images += 1;
        rssBytes = reply.rssBytes;
        return unwrap(reply);
      } finally {
        settled.abort();
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      }
    },
    isFit: () => alive && images < maxImages && rssBytes <= maxRssBytes,
    async kill() {
      if (!alive) return;
      const death = once(child, 'exit');
      child.kill('SIGKILL');
      await death;
    },
  };
}

function unwrap(reply: DecodeReply): Tasks[TaskName]['result'] {
  if (reply.kind === 'done') return reply.result;
  if (reply.kind === 'refused') throw new ImageRefused(reply.code, reply.detail);
  throw new Error(reply.message);
}
