/** Each class of work has a queue and a retry policy of its own, see workflows/process-file/file-steps.ts. */
export type WorkClass = 'cpu' | 'ocr' | 'vision' | 'index' | 'io';

/** One activity on the way to a component. Its type is the name of a function in activities/. */
export interface PipelineStep<Activity extends string = string> {
  activity: Activity;
  /** Name for people, as in "Visible text under way". */
  title: string;
  /** What operators read beside the activity in the engine. */
  summary: string;
  work: WorkClass;
}

/** A part of a file's processing that has a status of its own. */
export interface PipelineComponent<Name extends string = string, Activity extends string = string> {
  name: Name;
  /** Name for people, as in "Description failed". */
  title: string;
  /** Fields of the contract that show its status and why it failed. */
  statusField: `${string}_status`;
  errorField: `${string}_error`;
  /** It runs only after these completed; when one of them fails, it is skipped. */
  dependsOn: readonly Name[];
  /** Whether `auto_describe: false` leaves it out. */
  needsAutoDescribe: boolean;
  /** Reserved when work on it is accepted, see domain/accounts/credits.ts. */
  credits: number;
  /** In order; it is completed with the last, and failed with any. Within a medium no activity stands twice. */
  steps: readonly [PipelineStep<Activity>, ...PipelineStep<Activity>[]];
}

/** All the work on the files of one medium: components in the order in which they run, at least one. */
export interface PipelineOf<Name extends string = string, Activity extends string = string> {
  mediaType: string;
  components: readonly [PipelineComponent<Name, Activity>, ...PipelineComponent<Name, Activity>[]];
}
