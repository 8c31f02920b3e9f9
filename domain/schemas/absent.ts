import type { z } from 'zod';

/** An optional field of a JSON body. Null is equivalent to absence. */
export function optional<S extends z.ZodType>(schema: S) {
  return schema.nullish().transform((value) => value ?? undefined);
}

/** As `optional`, with a default. */
export function optionalWith<S extends z.ZodType>(schema: S, usual: z.util.NoUndefined<z.output<S>>) {
  return schema
    .nullable()
    .default(usual)
    .transform((value): z.output<S> => value ?? usual);
}
