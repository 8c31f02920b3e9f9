import type { ComponentName } from '../../domain/components.ts';

/**
 * The activities whose fate decides a component, by activity type. The fold of a history and the timeline know a
 * step by this table.
 */
export const FILE_STEPS = {
  renderVariants: { component: 'variant', title: 'Variants' },
  describeImage: { component: 'description', title: 'Description' },
} as const satisfies Record<string, { component: ComponentName; title: string }>;

export type FileStep = keyof typeof FILE_STEPS;

export function isFileStep(activityType: string): activityType is FileStep {
  return Object.hasOwn(FILE_STEPS, activityType);
}

/** Name of a component for people, as in "Description is waiting". */
export const COMPONENT_TITLES: Readonly<Record<ComponentName, string>> = {
  variant: FILE_STEPS.renderVariants.title,
  description: FILE_STEPS.describeImage.title,
};
