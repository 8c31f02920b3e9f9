import { AppError } from '../app-error.ts';
import { MEDIA_TYPES, type MediaType } from '../media.ts';
import { documentPipeline } from './document.ts';
import { imagePipeline } from './image.ts';
import { linkPipeline } from './link.ts';
import type { FastPath, PipelineComponent, PipelineOf, PipelineStep } from './pipeline.ts';
import { videoPipeline } from './video.ts';

/** The pipeline of each medium. Content of a medium without one is refused at acceptance. */
const PIPELINES = {
  image: imagePipeline,
  document: documentPipeline,
  video: videoPipeline,
  link: linkPipeline,
} as const satisfies Record<MediaType, PipelineOf | undefined>;

/** Media with a pipeline, whose files are accepted. */
export type ProcessedMedia = {
  [M in MediaType]: (typeof PIPELINES)[M] extends PipelineOf ? M : never;
}[MediaType];

type KnownComponent = NonNullable<(typeof PIPELINES)[MediaType]>['components'][number];
type KnownStep = KnownComponent['steps'][number];
export type ComponentName = KnownComponent['name'];
/** Type of the activity, or of the child workflow, of a step. */
export type StepActivity = KnownStep['activity'];
/** Workflow types of steps that are workflows of their own. */
export type StepWorkflow = Extract<KnownStep, { work: 'child' }>['activity'];
/** Activity type of a fast path. */
export type FastPathActivity = (typeof imagePipeline | typeof documentPipeline)['fastPath']['activity'];
export type StatusField = KnownComponent['statusField'];
export type ErrorField = KnownComponent['errorField'];

export type Pipeline = PipelineOf<ComponentName, StepActivity, FastPathActivity>;
export type Component = PipelineComponent<ComponentName, StepActivity>;
export type Step = PipelineStep<StepActivity>;

/** The parts of a file that determine its steps. */
interface StepsOfFile {
  mediaType: string;
  components: Readonly<Partial<Record<ComponentName, { unrequested?: readonly StepActivity[] }>>>;
}

const registered = new Map<string, Pipeline>();

/** Registers the pipeline of a medium. */
export function registerPipeline(pipeline: Pipeline): void {
  registered.set(pipeline.mediaType, pipeline);
}

for (const pipeline of Object.values(PIPELINES)) if (pipeline) registerPipeline(pipeline);

/** @returns undefined for a medium without a pipeline */
export function pipelineOf(mediaType: string): Pipeline | undefined {
  return registered.get(mediaType);
}

/** @throws AppError UNSUPPORTED_MEDIA for a medium without a pipeline */
export function requirePipeline(mediaType: string): Pipeline {
  const pipeline = pipelineOf(mediaType);
  if (!pipeline) throw new AppError('UNSUPPORTED_MEDIA', `files of type ${mediaType} are not accepted`);
  return pipeline;
}

/** In execution order; empty for a medium without a pipeline. */
export function componentsOf(mediaType: string): readonly Component[] {
  return pipelineOf(mediaType)?.components ?? [];
}

export function componentOf(mediaType: string, name: string): Component | undefined {
  return componentsOf(mediaType).find((component) => component.name === name);
}

/** The requested steps of a file's component, in order. */
export function stepsOf({ mediaType, components }: StepsOfFile, name: ComponentName): readonly Step[] {
  const { unrequested = [] } = components[name] ?? {};
  const steps: readonly Step[] = componentOf(mediaType, name)?.steps ?? [];
  return steps.filter(({ activity }) => !unrequested.includes(activity));
}

/** The components of all media that keep a file from being deleted while they are in progress. */
export function deletionBlockers(): { mediaType: string; component: ComponentName }[] {
  return [...registered.values()].flatMap(({ mediaType, components }) =>
    components.flatMap(({ name, blocksDeletion }) =>
      blocksDeletion ? [{ mediaType, component: name }] : [],
    ),
  );
}

/** The direct dependencies of a component. */
export function dependenciesOf(mediaType: string, name: ComponentName): readonly ComponentName[] {
  return componentOf(mediaType, name)?.dependsOn ?? [];
}

/** @returns undefined for a medium without a fast path */
export function fastPathOf(mediaType: string): FastPath<FastPathActivity> | undefined {
  return pipelineOf(mediaType)?.fastPath;
}

/** The step of a medium that an activity type implements, with its component; undefined for other activities. */
export function findStep(
  mediaType: string,
  activity: string,
): { component: Component; step: Step } | undefined {
  for (const component of componentsOf(mediaType)) {
    const step = component.steps.find((candidate) => candidate.activity === activity);
    if (step) return { component, step };
  }
  return undefined;
}

/** Media whose files have this step. */
export function mediaWithStep(activity: StepActivity): MediaType[] {
  return MEDIA_TYPES.filter((mediaType) => findStep(mediaType, activity));
}

export function isFirstStep(file: StepsOfFile, activity: string): boolean {
  const component = findStep(file.mediaType, activity)?.component.name;
  return component !== undefined && stepsOf(file, component)[0]?.activity === activity;
}

export function isLastStep(file: StepsOfFile, activity: string): boolean {
  const component = findStep(file.mediaType, activity)?.component.name;
  return component !== undefined && stepsOf(file, component).at(-1)?.activity === activity;
}

/** Component names of all media that requests may use. */
export const COMPONENT_NAMES: readonly ComponentName[] = [
  ...new Set(
    Object.values(PIPELINES).flatMap((pipeline) => pipeline?.components.map(({ name }) => name) ?? []),
  ),
];
