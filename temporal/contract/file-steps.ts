import type { ComponentName } from '../../domain/components.ts';

/**
 * The activities whose fate decides a component, by activity type. The fold of a history and the timeline know a
 * step by this table; the steps of one component run in the order in which they stand here.
 */
export const FILE_STEPS = {
  renderVariants: { component: 'variant', title: 'Variants' },
  readText: { component: 'description', title: 'Visible text' },
  describeImage: { component: 'description', title: 'Description' },
  indexImage: { component: 'description', title: 'Similarity index' },
} as const satisfies Record<string, { component: ComponentName; title: string }>;

export type FileStep = keyof typeof FILE_STEPS;

export function isFileStep(activityType: string): activityType is FileStep {
  return Object.hasOwn(FILE_STEPS, activityType);
}

/** The steps that make a component, first to last. It is completed with the last, and failed with any. */
export function stepsOf(component: ComponentName): FileStep[] {
  return Object.keys(FILE_STEPS)
    .filter(isFileStep)
    .filter((step) => FILE_STEPS[step].component === component);
}

export function isFirstStep(step: FileStep): boolean {
  return stepsOf(FILE_STEPS[step].component)[0] === step;
}

export function isLastStep(step: FileStep): boolean {
  return stepsOf(FILE_STEPS[step].component).at(-1) === step;
}

/** Name of a component for people, as in "Description failed". */
export const COMPONENT_TITLES: Readonly<Record<ComponentName, string>> = {
  variant: 'Variants',
  description: 'Description',
};
