import { cleanTags, cleanText } from './clean-answer.ts';
import { describeMeasurements, mainColours } from './describe-measurements.ts';
import { pictureWords } from './picture-words.ts';
import type { VisionInput, VisionModel } from './vision-model.ts';

/** Describes pictures from measurements alone, deterministically and at no cost, and says so in the text. */
export function createLocalVision(): VisionModel {
  return {
    provider: 'local',
    model: 'local-v1',
    inProcess: true,
    describe(input, { signal }) {
      signal.throwIfAborted();
      return Promise.resolve({
        description: cleanText(describeMeasurements(input)),
        tags: cleanTags(tagsOf(input)),
        usage: { inputTokens: 0, outputTokens: 0 },
        promptVersion: 'local-v1',
        confidence: null,
      });
    },
  };
}

function tagsOf({ facts, width, height, visibleText }: VisionInput): string[] {
  const { orientation, ...words } = pictureWords(facts, width, height);
  return [
    facts.look,
    orientation,
    ...mainColours(facts).map(({ name }) => name),
    ...Object.values<string>(words),
    ...(facts.frames > 1 ? ['animated'] : []),
    ...(facts.hasAlpha ? ['transparent'] : []),
    ...(visibleText?.trim() ? ['text'] : []),
    ...(facts.exif.camera ? [facts.exif.camera] : []),
  ];
}
