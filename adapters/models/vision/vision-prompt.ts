import { CONTENT_CATEGORIES } from '../../../domain/content-categories.ts';
import { textOf } from '../../../domain/structured-extraction/read-page.ts';
import { classifyImageV1, describeImageV1, extractDataV1 } from '../prompts.ts';
import type { ExtractionRequest, PagesInput, VisionInput } from './vision-model.ts';

/** Enough text to show a page's subject, without paying for all of it. */
const MAX_TEXT = 2_000;
/** Maximum number of lines with boxes, for extractions. */
const MAX_REGIONS = 200;

/** The texts of a call about one image. */
export interface VisionPrompt {
  version: string;
  system: string;
  user: string;
}

export function describePrompt(input: VisionInput): VisionPrompt {
  const { version, system, hints } = describeImageV1;
  const category = CONTENT_CATEGORIES.find((each) => each === input.contentCategory) ?? 'general';
  return { version, system, user: `${hints[category]}\n${notes(input, pageText(input))}` };
}

export function classifyPrompt(input: VisionInput): VisionPrompt {
  const { version, system, categories } = classifyImageV1;
  const list = Object.entries(categories).map(([name, meaning]) => `- ${name}: ${meaning}`);
  return { version, system, user: ['Categories:', ...list, notes(input, pageText(input))].join('\n') };
}

export function extractPrompt(input: VisionInput | PagesInput, request: ExtractionRequest): VisionPrompt {
  const { system, user, pagesUser, wish } = extractDataV1;
  const { instructions, promptVersion, prompt } = request;
  const asked = prompt?.trim() ? [`${wish}: ${JSON.stringify(prompt.trim())}`] : [];
  return {
    version: promptVersion,
    system: `${system} ${instructions}`,
    user:
      'pages' in input
        ? [input.image ? user : pagesUser, ...asked, pagesNotes(input)].join('\n')
        : [user, ...asked, notes(input, { ...pageText(input), ...placedText(input) })].join('\n'),
  };
}

/** Facts about the image as JSON, which client text cannot break out of. */
function notes(input: VisionInput, text: object): string {
  const known = {
    file_name: input.filename,
    width: input.width,
    height: input.height,
    ...(input.facts.exif.takenAt && { taken_at: input.facts.exif.takenAt }),
    ...text,
  };
  return `Notes: ${JSON.stringify(known)}`;
}

/** The same for the text of pages. */
function pagesNotes({ filename, pages }: PagesInput): string {
  const texts = pages.map((page) => ({ page: page.pageNumber, text: textOf(page).toWellFormed() }));
  return `Notes: ${JSON.stringify({ file_name: filename, recognised_pages: texts })}`;
}

function pageText({ visibleText }: VisionInput): { recognised_text?: string } {
  const text = visibleText?.trim();
  return text ? { recognised_text: text.slice(0, MAX_TEXT).toWellFormed() } : {};
}

function placedText({ textRegions = [] }: VisionInput): { recognised_lines?: unknown[] } {
  if (textRegions.length === 0) return {};
  const lines = textRegions.slice(0, MAX_REGIONS).map(({ text, box }) => ({
    text,
    box: [box.xMin, box.yMin, box.xMax, box.yMax].map((value) => Math.round(value * 1000) / 1000),
  }));
  return { recognised_lines: lines };
}
