import type {
  Classification,
  VisionInput,
  VisionModel,
} from '../../../adapters/models/vision/vision-model.ts';
import { AUTO_CATEGORY } from '../../../domain/content-categories.ts';

/**
 * Asks the model for the category of an image that was given `auto`.
 *
 * @returns undefined for an image that has a category
 * @throws the errors of the model
 */
export async function classifyImage(
  vision: VisionModel,
  input: VisionInput,
  signal: AbortSignal,
): Promise<Classification | undefined> {
  return input.contentCategory === AUTO_CATEGORY ? vision.classify(input, { signal }) : undefined;
}
