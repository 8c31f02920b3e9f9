/** The module of a thread for text, which handles one task at a time. */
import { TASKS, type Input, type Result, type TaskName } from './tasks.ts';

export interface TextRequest<Name extends TaskName = TaskName> {
  task: Name;
  input: Input<Name>;
}

export type TextReply = { kind: 'done'; result: Result<TaskName> } | { kind: 'failed'; error: unknown };

export function handle({ task, input }: TextRequest): TextReply {
  const run = TASKS[task] as (given: typeof input) => Result<TaskName>;
  try {
    return { kind: 'done', result: run(input) };
  } catch (error) {
    return { kind: 'failed', error };
  }
}
