import type { ChatCompletionContentPartImage } from 'openai/resources/chat/completions';
import { describeDocumentV1, layOutPageV1 } from '../prompts/document-prompts.ts';
import { type Checked, zodCheck } from '../structured/answer-check.ts';
import type { StructuredOutput } from '../structured/structured-output.ts';
import { answerSchema, DescriptionAnswer, LayoutAnswer } from './answer-schemas.ts';
import type { DocumentModel, PageLayout, PageToLayOut } from './document-model.ts';
import type { ModelCall, ModelWork } from './model-work.ts';

/** A page full of small tables, whose cells are written out. */
const MAX_LAYOUT_TOKENS = 16_000;
/** Leaves room for reasoning models. */
const MAX_DESCRIPTION_TOKENS = 4_000;

/** Documents, by any endpoint that speaks OpenAI's chat completions with images. */
export function createOpenAiDocuments(
  ask: StructuredOutput,
  work: Pick<ModelWork, 'layoutProblems'>,
): DocumentModel {
  return {
    async layOut(page, call) {
      const { version: promptVersion, system, user } = layOutPageV1;
      const notes = { page: page.pageNumber, pages: page.pageCount, lines: page.lines.map(toNote) };
      const { value: elements, usage } = await ask<PageLayout['elements']>(
        {
          ...LAYOUT,
          system,
          user: [
            { type: 'text', text: `${user}\nNotes: ${JSON.stringify(notes)}` },
            imagePart(await page.picture()),
          ],
          check: layoutCheck(work, page, call),
        },
        call,
      );
      return { elements, usage, promptVersion };
    },

    async describe({ filename, title, pageCount, language, headings, text }, call) {
      const { version: promptVersion, system, user } = describeDocumentV1;
      const notes = { file_name: filename, title, pages: pageCount, language, headings, text };
      const { value, usage } = await ask(
        {
          ...DESCRIPTION,
          system,
          user: [{ type: 'text', text: `${user}\nNotes: ${JSON.stringify(notes)}` }],
        },
        call,
      );
      return { ...value, usage, promptVersion };
    },
  };
}

const LAYOUT = {
  name: 'page_layout',
  schema: answerSchema(LayoutAnswer),
  maxOutputTokens: MAX_LAYOUT_TOKENS,
};

const DESCRIPTION = {
  name: 'document_description',
  schema: answerSchema(DescriptionAnswer),
  maxOutputTokens: MAX_DESCRIPTION_TOKENS,
  check: zodCheck(DescriptionAnswer),
};

function layoutCheck(
  work: Pick<ModelWork, 'layoutProblems'>,
  page: PageToLayOut,
  call: ModelCall,
): (answer: unknown) => Promise<Checked<PageLayout['elements']>> {
  const check = zodCheck(LayoutAnswer);
  const lines = page.lines.map(({ text }) => ({ text }));
  return async (answer) => {
    const checked = check(answer);
    if ('problems' in checked) return checked;
    const { elements } = checked.value;
    const problems = await work.layoutProblems({ elements, lines }, call);
    return problems.length > 0 ? { problems } : { value: elements };
  };
}

function toNote({ text, box: { x, y, w, h } }: PageToLayOut['lines'][number], at: number) {
  const rounded = [x, y, x + w, y + h].map((value) => Math.round(value * 1000) / 1000);
  return { n: at + 1, text: text.toWellFormed(), box: rounded };
}

/** An image as a part of a message, inside the request: no endpoint fetches it from us. */
export function imagePart({
  bytes,
  contentType,
}: {
  bytes: Uint8Array;
  contentType: string;
}): ChatCompletionContentPartImage {
  const url = `data:${contentType};base64,${Buffer.from(bytes).toString('base64')}`;
  return { type: 'image_url', image_url: { url } };
}
