/** The module of a thread for text, which handles one task at a time. */
import type { Input, Result, TaskName } from './tasks.ts';

export interface TextRequest<Name extends TaskName = TaskName> {
  task: Name;
  input: Input<Name>;
}

export type TextReply = { kind: 'done'; result: Result<TaskName> } | { kind: 'failed'; error: unknown };

export async function handle({ task, input }: TextRequest): Promise<TextReply> {
  // What documents need is most of the memory of a thread, and a manifest needs none of it.
  const tasks =
    task === 'readManifest' ? await import('./read-manifest.ts') : (await import('./tasks.ts')).TASKS;
  const run = (tasks as Record<string, unknown>)[task] as (given: typeof input) => Result<TaskName>;
  try {
    return { kind: 'done', result: run(input) };
  } catch (error) {
    return { kind: 'failed', error };
  }
}
