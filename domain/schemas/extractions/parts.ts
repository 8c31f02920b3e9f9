import { z } from 'zod';
import type { ExtractionResult } from '../../extractions/domains.ts';

/** Building blocks of extraction results. Null means that the image does not show the value. */

const part = z.number().min(0).max(1);

/** Position in the upright image, 0–1 of its width and height. */
export const boundingBox = z
  .object({
    x_min: part.describe('Left edge'),
    y_min: part.describe('Upper edge'),
    x_max: part.describe('Right edge'),
    y_max: part.describe('Lower edge'),
  })
  .meta({ id: 'BoundingBox' });

const box = boundingBox
  .nullable()
  .describe('Position, 0–1 of the upright width and height; null where it does not apply');

const confidence = z.number().min(0).max(1).nullable().describe('How sure the model is, 0–1; null: unknown');

export const words = (about: string) => z.string().nullable().describe(about);
export const wordList = (about: string) => z.array(z.string()).describe(about);
export const oneOf = <const Values extends readonly [string, ...string[]]>(values: Values, about: string) =>
  z.enum(values).nullable().describe(about);

/** The stored and presented result of a domain, and the schema of a model's answer. */
export interface ResultSchemas {
  result: z.ZodObject;
  /** Without bounds and nested objects, so that an endpoint can enforce it. */
  answer: z.ZodObject;
}

/** A result: fields for the whole image, and the items found in it. */
export function result(whole: z.core.$ZodLooseShape, item: z.core.$ZodLooseShape): ResultSchemas {
  return {
    result: z.object({
      ...whole,
      items: z
        .array(z.object({ ...item, bounding_box: box, confidence }))
        .describe('What was found in the image'),
    }),
    answer: z.object({
      ...whole,
      items: z.array(
        z.object({
          ...item,
          bounding_box: z
            .array(z.number())
            .describe('x_min, y_min, x_max, y_max, each 0–1 of width or height; empty if unknown'),
          confidence: z.number().nullable().describe('How sure you are, from 0 to 1'),
        }),
      ),
    }),
  };
}

const Answered = z.looseObject({
  items: z.array(z.looseObject({ bounding_box: z.array(z.number()), confidence: z.number().nullable() })),
});

/** Reads the result from a model's answer. A box or a confidence out of bounds counts as unknown. */
export function readAnswer(answer: unknown): ExtractionResult {
  const { items, ...whole } = Answered.parse(answer);
  return {
    ...whole,
    items: items.map((item) => {
      const [x_min = -1, y_min = -1, x_max = -1, y_max = -1] = item.bounding_box;
      const found = box.safeParse({ x_min, y_min, x_max, y_max }).data ?? null;
      const real = found && found.x_min < found.x_max && found.y_min < found.y_max;
      return {
        ...item,
        bounding_box: real ? found : null,
        confidence: confidence.safeParse(item.confidence).data ?? null,
      };
    }),
  };
}

/** A result with all fields unknown. */
export function emptyResult({ shape }: z.ZodObject): ExtractionResult {
  const fields = Object.entries(shape).map(([name, field]) => [
    name,
    field instanceof z.ZodArray ? [] : null,
  ]);
  return { ...Object.fromEntries(fields), items: [] };
}
