/** A thread for text: handles one task at a time for its process, and may be ended at any time. */
import { parentPort } from 'node:worker_threads';
import { getHeapStatistics } from 'node:v8';
import { TASKS, type Input, type Result, type TaskName } from './tasks.ts';

/** Process to thread: one task; the next only after the reply. */
export interface TextRequest<Name extends TaskName = TaskName> {
  task: Name;
  input: Input<Name>;
}

/** Thread to process: ready for a first task, or the reply to one. */
export type TextReply =
  | { kind: 'ready' }
  | { kind: 'done'; result: Result<TaskName>; heapBytes: number }
  | { kind: 'failed'; error: unknown; heapBytes: number };

parentPort?.on('message', (request: TextRequest) => send(answer(request)));
send({ kind: 'ready' });

function answer({ task, input }: TextRequest): TextReply {
  const run = TASKS[task] as (given: typeof input) => Result<TaskName>;
  try {
    const result = run(input);
    return { kind: 'done', result, heapBytes: heapBytes() };
  } catch (error) {
    return { kind: 'failed', error, heapBytes: heapBytes() };
  }
}

function heapBytes(): number {
  return getHeapStatistics().total_heap_size;
}

function send(reply: TextReply): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- of a thread, not of a window
  parentPort?.postMessage(reply);
}
