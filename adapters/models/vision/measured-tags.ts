import { isScan, mainColours } from './describe-measurements.ts';
import { pictureWords } from './picture-words.ts';
import type { VisionInput } from './vision-model.ts';

/** Keywords of what was measured in a picture; not cleaned yet. */
export function measuredTags(input: VisionInput): string[] {
  const { facts, width, height, visibleText } = input;
  const { orientation, ...words } = pictureWords(facts, width, height);
  return [
    isScan(input) ? 'page' : facts.look,
    orientation,
    ...mainColours(facts).map(({ name }) => name),
    ...Object.values<string>(words),
    ...(facts.frames > 1 ? ['animated'] : []),
    ...(facts.hasAlpha ? ['transparent'] : []),
    ...(visibleText?.trim() ? ['text'] : []),
    ...(facts.exif.camera ? [facts.exif.camera] : []),
  ];
}
