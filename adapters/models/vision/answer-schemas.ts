import { z } from 'zod';
import { CONTENT_CATEGORIES } from '../../../domain/content-categories.ts';
import { LINE_ROLES } from '../../../domain/documents/page-layout.ts';
import { ELEMENT_TYPES } from '../../../domain/documents/page.ts';
import type { JsonSchema } from '../structured/answer-check.ts';
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

/** The top-level `confidence` of an extraction, between 0 and 1; null without one. */
export function confidenceOf(data: unknown): number | null {
  const parsed = z.object({ confidence: z.number().min(0).max(1) }).safeParse(data);
  return parsed.success ? parsed.data.confidence : null;
}

function cleanDescription(text: string): string {
  return cleanText(text);
}
