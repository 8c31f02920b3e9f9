import type { SearchAttributePair } from '@temporalio/common';
import type { TaskPriority } from './queues.ts';

/** A workflow that is started with its own id: its type, which is the name of its function, and its start options. */
export interface Workflow<Input> {
  type: string;
  id: (input: Input) => string;
  /**
   * When the id may be reused. `never`: a repeated start finds the workflow started, even if it has ended.
   * `by_generation`: `never` for generation 1; later ones once the run of the previous generation has closed.
   * `joined` and `when_closed`: once the open run has closed; a start during it counts as started with
   * `joined`, and not with `when_closed`.
   */
  reuse: 'never' | 'by_generation' | 'joined' | 'when_closed';
  /** One line for operators, unless the caller gives a more specific one. */
  summary: (input: Input) => string;
  priority?: (input: Input) => TaskPriority;
  attributes?: (input: Input) => SearchAttributePair[];
  memo?: (input: Input) => GenerationMemo;
  /** Execution timeout. */
  timeout?: '24 hours';
}

/** Memo of a run whose row has generations, readable without its history. */
export interface GenerationMemo {
  generation: number;
  tenantId: string;
}

/** The workflows of the rows of a kind. Their ids are built and parsed only here: who knows a file knows its workflow. */
export interface RowWorkflows {
  type: string;
  /** The id of the workflow of a row. */
  of: (rowId: string) => string;
  /** The id of the row, or undefined for a workflow of another kind. */
  parse: (workflowId: string) => string | undefined;
}

/** Defines the workflows of the rows of a kind; `row` gives the id of the row. */
export function rowWorkflows<Input>({
  prefix,
  row,
  ...workflow
}: Omit<Workflow<Input>, 'id'> & { prefix: `${string}/`; row: (input: Input) => string }): Workflow<Input> &
  RowWorkflows {
  const of = (rowId: string) => `${prefix}${rowId}`;
  return {
    ...workflow,
    id: (input) => of(row(input)),
    of,
    parse: (workflowId) => (workflowId.startsWith(prefix) ? workflowId.slice(prefix.length) : undefined),
  };
}

/**
 * Start options of a workflow, also as a child; without the queue and the reuse policy of the id.
 *
 * @param summary one line for operators; prefixed by the file name if the input has one
 */
export function workflowOptions<Input extends object>(
  { id, summary: ownSummary, priority, attributes, memo, timeout }: Workflow<Input>,
  input: Input,
  summary?: string,
) {
  const fileName = 'name' in input ? (input.name as string | undefined) : undefined;
  return {
    workflowId: id(input),
    args: [input] as [Input],
    staticSummary: named(fileName, summary ?? ownSummary(input)),
    ...(priority && { priority: priority(input) }),
    ...(attributes && { typedSearchAttributes: attributes(input) }),
    ...(memo && { memo: { ...memo(input) } }),
    ...(timeout && { workflowExecutionTimeout: timeout }),
  };
}

/** A summary that begins with the name of its file, where histories have names. */
export function named(name: string | undefined, summary: string): string {
  return name === undefined ? summary : `${name}: ${summary}`;
}
