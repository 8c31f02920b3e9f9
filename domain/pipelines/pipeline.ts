import type { UsageOperation } from '../operations.ts';
import type { Trigger } from './triggers.ts';

/**
 * Each class of work has its own queue and retry policy, see workflows/process-file/step-runner.ts. `child` is a child
 * workflow.
 */
export type WorkClass =
  | 'cpu'
  | 'documents'
  | 'video'
  | 'ocr'
  | 'vision'
  | 'index'
  | 'embedding'
  | 'io'
  | 'web'
  | 'child';

/** The operation that a component is charged as. */
export type FileOperation = Extract<UsageOperation, 'describe' | 'extract' | 'digitize'>;

/**
 * One activity of a component. Its type is the name of a function in activities/, or of a workflow if its work is
 * `child`.
 */
export interface PipelineStep<Activity extends string = string> {
  activity: Activity;
  /** Display name, as in "Visible text running". */
  title: string;
  /** Activity summary that operators see in the engine. */
  summary: string;
  work: WorkClass;
  /** The trigger that requests it, if narrower than that of its component. */
  requestedBy?: Trigger;
}

/** A part of a file's processing that has its own status. */
export interface PipelineComponent<Name extends string = string, Activity extends string = string> {
  name: Name;
  /** Display name, as in "Description failed". */
  title: string;
  /** API fields for its status and failure reason. */
  statusField: `${string}_status`;
  errorField: `${string}_error`;
  /** It runs only after these completed; when one of them fails, it is skipped. */
  dependsOn: readonly Name[];
  /** It is derived from the results of these components, so an explicit retry of one of them redoes it as well. */
  redoneWith?: readonly Name[];
  /** The trigger that requests it; otherwise it is `skipped` by request. */
  requestedBy: Trigger;
  /** Reserved at acceptance, see domain/accounts/credits.ts. */
  credits: number;
  /** The operation its credits are charged as; by default a description. */
  operation?: FileOperation;
  /** Its credits are included in those of these components if one of them is processed as well. */
  includedIn?: readonly Name[];
  /** Whether it renders the variants of the file. */
  rendersVariants?: true;
  /** Its work is pages, which an explicit retry may name. */
  readsPages?: true;
  /** Whether a file may not be deleted while this is in progress. */
  blocksDeletion?: true;
  /** In order; completed by the last, failed by any. An activity occurs only once within a medium. */
  steps: readonly [PipelineStep<Activity>, ...PipelineStep<Activity>[]];
}

/**
 * An activity that the first run of a file tries before its steps: it completes as many of them, in order, as need no
 * other class of work, and records them in one transaction. The rest run step by step.
 */
export interface FastPath<Activity extends string = string> {
  activity: Activity;
  /** Activity summary that operators see in the engine. */
  summary: string;
  /** Whether runs try it that began before their first activity said so. */
  always?: true;
  /** Not `vision`, whose queues belong to a provider. */
  work: Exclude<WorkClass, 'vision' | 'child'>;
}

/** All processing of one medium: its components in execution order, at least one. */
export interface PipelineOf<
  Name extends string = string,
  Activity extends string = string,
  Fast extends string = string,
> {
  mediaType: string;
  /** Its files are too large to pass through the API: they arrive by direct uploads only. */
  directOnly?: true;
  fastPath?: FastPath<Fast>;
  components: readonly [PipelineComponent<Name, Activity>, ...PipelineComponent<Name, Activity>[]];
}
