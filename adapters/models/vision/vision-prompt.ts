import { CONTENT_CATEGORIES } from '../../../domain/content-categories.ts';
import { describeImageV1 } from './prompts/describe-image-v1.ts';
import type { VisionInput } from './vision-model.ts';

/** Enough text to know what a page is about, without paying for all of it. */
const MAX_TEXT = 2_000;

/** The messages to a chat model about one picture. */
export function visionPrompt(input: VisionInput): { version: string; system: string; user: string } {
  const { version, system, hints } = describeImageV1;
  const category = CONTENT_CATEGORIES.find((each) => each === input.contentCategory) ?? 'general';
  const notes = {
    file_name: input.filename,
    width: input.width,
    height: input.height,
    ...(input.facts.exif.takenAt && { taken_at: input.facts.exif.takenAt }),
    ...(input.visibleText?.trim() && {
      recognised_text: input.visibleText.trim().slice(0, MAX_TEXT).toWellFormed(),
    }),
  };
  return { version, system, user: `${hints[category]}\nNotes: ${JSON.stringify(notes)}` };
}
