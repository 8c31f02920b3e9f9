import { z } from 'zod';
import { CONTENT_CATEGORIES } from '../../../domain/content-categories.ts';
import {
  MAX_QUOTE_LENGTH,
  MAX_QUOTES,
  MAX_SENTENCE_LENGTH,
  MAX_SENTENCES,
} from '../../../domain/ask/answer.ts';
import { LINE_ROLES, ELEMENT_TYPES } from 'darkroom-reader/document';
import type { Checked, JsonSchema } from '../../../engines/text-work/answer-check.ts';
import { cleanTags, cleanText } from './vision-answer.ts';

/** Models differ in whether and how they rate themselves. */
const confidence = z
  .number()
  .nullable()
  .catch(null)
  .transform((value) => (value === null ? null : Math.min(1, Math.max(0, value))));

/** A model's description; cleaned when parsed. */
export const DescriptionAnswer = z.object({
  description: z
    .string()
    .transform(cleanDescription)
    .refine((text) => text !== '', 'is empty'),
  tags: z.array(z.string()).transform(cleanTags),
  confidence,
});

/** The choice of a category. */
export const CategoryAnswer = z.object({ category: z.enum(CONTENT_CATEGORIES), confidence });

const share = z.number().transform((value) => Math.min(1, Math.max(0, value)));
const lineNumbers = z.array(z.number());

/** A model's layout of a page; boxes are cut to the page when parsed. */
export const LayoutAnswer = z.object({
  elements: z.array(
    z.object({
      type: z.enum(ELEMENT_TYPES),
      role: z.enum(LINE_ROLES).nullable(),
      lines: lineNumbers,
      starts: lineNumbers,
      rows: z.array(z.array(z.string())),
      box: z
        .object({ x: share, y: share, w: share, h: share })
        .transform(({ x, y, w, h }) => ({ x, y, w: Math.min(w, 1 - x), h: Math.min(h, 1 - y) }))
        .nullable(),
    }),
  ),
});

/** Checks an answer against one of these schemas, which may also clean it. */
export function zodCheck<T>(schema: z.ZodType<T>): (answer: unknown) => Checked<T> {
  return (answer) => {
    const { data, error } = schema.safeParse(answer);
    if (!error) return { value: data };
    return {
      problems: error.issues.map(
        ({ path, message }) => `${path.length > 0 ? `${path.join('.')}: ` : ''}${message}`,
      ),
    };
  };
}

/** The JSON Schema for a model's answer: strict mode supports neither defaults nor optional properties. */
export function answerSchema(schema: z.ZodObject): JsonSchema {
  const { $schema: _dialect, ...jsonSchema } = z.toJSONSchema(schema, {
    io: 'input',
    override: ({ jsonSchema: node }) => {
      delete node.default;
      if (node.type !== 'object') return;
      node.required = Object.keys(node.properties ?? {});
      node.additionalProperties = false;
    },
  });
  return jsonSchema;
}

/** An answer from passages. Lists are cut rather than refused: a long answer was paid for as well. */
export const PassageAnswer = z.object({
  answered: z.boolean(),
  sentences: z
    .array(
      z.object({
        text: z.string(),
        quotes: z.array(z.object({ passage: z.int(), quote: z.string() })),
      }),
    )
    .transform((sentences) =>
      sentences
        .map(({ text, quotes }) => ({
          text: cleanText(text, MAX_SENTENCE_LENGTH),
          quotes: quotes
            .slice(0, MAX_QUOTES)
            .map((each) => ({ ...each, quote: each.quote.slice(0, MAX_QUOTE_LENGTH) })),
        }))
        .filter(({ text }) => text !== '')
        .slice(0, MAX_SENTENCES),
    ),
});

/** The top-level `confidence` of an extraction, between 0 and 1; null without one. */
export function confidenceOf(data: unknown): number | null {
  const parsed = z.object({ confidence: z.number().min(0).max(1) }).safeParse(data);
  return parsed.success ? parsed.data.confidence : null;
}

function cleanDescription(text: string): string {
  return cleanText(text);
}
