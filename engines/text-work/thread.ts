/** The module of a thread for text, which handles one task at a time. */
import type { TextReply, TextRequest } from './text-work.ts';

type Done = Extract<TextReply, { kind: 'done' }>;

export async function handle({ task, input }: TextRequest): Promise<TextReply> {
  // What documents need is most of the memory of a thread, and a manifest needs none of it.
  const tasks =
    task === 'readManifest' ? await import('./read-manifest.ts') : (await import('./tasks.ts')).TASKS;
  const run = (tasks as Record<string, unknown>)[task] as (given: typeof input) => Done['result'];
  try {
    return { kind: 'done', result: run(input) };
  } catch (error) {
    return { kind: 'failed', error };
  }
}
