import { OBJECT_NAMES } from './find-objects.ts';
import { CLASS_NAMES, classProbabilities } from './image-classes.ts';
import type { Seen } from './thread.ts';

/** What anything in an image can be called: classes, groups of them, and objects. */
export const CONTENT_NAMES: readonly string[] = [...CLASS_NAMES, ...OBJECT_NAMES];
const CLASSES = 1000;
/** Of groups and objects, whose names also are those of classes. */
const COARSE = 0.5;

/** How much each of {@link CONTENT_NAMES} says of what was seen. */
export function contentWeights({
  probabilities,
  objects,
}: Pick<Seen, 'probabilities' | 'objects'>): number[] {
  const scores = new Map(objects.toReversed().map(({ label, score }) => [label, score]));
  return [
    ...classProbabilities(probabilities).map((value, at) => (at < CLASSES ? value : COARSE * value)),
    ...OBJECT_NAMES.map((name) => COARSE * (scores.get(name) ?? 0)),
  ];
}
