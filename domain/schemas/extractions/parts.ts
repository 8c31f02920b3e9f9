import { z } from 'zod';
import type { ExtractionResult } from '../../extractions/extraction.ts';

/** The parts of which the results of extractions are made. Null means that it cannot be told from the image. */

const part = z.number().min(0).max(1);

/** Position in the upright image. */
const box = z
  .object({ x_min: part, y_min: part, x_max: part, y_max: part })
  .nullable()
  .describe('Position, 0–1 of the upright width and height; null where it does not apply');

const confidence = z.number().min(0).max(1).nullable().describe('How sure the model is, 0–1; null: unknown');

export const words = (about: string) => z.string().nullable().describe(about);
export const amount = (about: string) => z.number().nullable().describe(about);
export const wordList = (about: string) => z.array(z.string()).describe(about);
export const oneOf = <const Values extends readonly [string, ...string[]]>(values: Values, about: string) =>
  z.enum(values).nullable().describe(about);

/** A result: what holds for the whole image, and the items found in it. */
export function result<Whole extends z.core.$ZodLooseShape, Item extends z.core.$ZodLooseShape>(
  whole: Whole,
  item: Item,
) {
  return z.object({
    ...whole,
    items: z.array(z.object({ ...item, bounding_box: box, confidence })),
  });
}

/** A result of which nothing is known. */
export function emptyResult({ shape }: z.ZodObject): ExtractionResult {
  const fields = Object.entries(shape).map(([name, field]) => [
    name,
    field instanceof z.ZodArray ? [] : null,
  ]);
  return { ...Object.fromEntries(fields), items: [] };
}
