import { z } from 'zod';
import { SCHEMA_STATUSES } from '../../../domain/structured-extraction/saved-schema.ts';
import {
  MAX_EXTRACTION_PROMPT_LENGTH,
  MAX_SCHEMA_DESCRIPTION_LENGTH,
  MAX_SCHEMA_NAME_LENGTH,
} from '../../../domain/structured-extraction/schema-limits.ts';
import { SCHEMA_RULES } from '../../../domain/structured-extraction/schema-violation.ts';
import { optional, optionalWith } from '../../../domain/schemas/absent.ts';
import { page, integerIn } from '../../../domain/schemas/query.ts';
import { displayName, text } from '../../../domain/schemas/text.ts';
import { count, idParam, timestamp } from '../fields.ts';

/** A schema may have 32 KB as compact JSON; indented it has several times as many. */
export const SCHEMA_BODY_BYTES = 256 * 1024;

/** Checked by the rules of domain/structured-extraction, which point to each offending node. */
export const jsonSchema = z.unknown().meta({
  override: { type: 'object', additionalProperties: true },
  description:
    'A JSON Schema whose root is an object: at most 3 levels below the root, 50 properties an object, 200 nodes and 32 KB; types string, integer, number, boolean, array, object; composed by `anyOf` only',
});

/** The same where it may be left out. */
export const optionalJsonSchema = optional(z.unknown()).meta({
  override: { type: ['object', 'null'], additionalProperties: true },
  description: 'A JSON Schema whose root is an object, see the rules of `/extraction-schemas/validate`',
});

export const schemaParams = z.object({ schema_id: idParam('Id of a saved schema') });

export const schemaQuery = z.object({
  version: integerIn(1, 1_000_000).optional().meta({ description: 'By default the newest' }),
});

export const schemaListQuery = z.object({
  status: z.enum(SCHEMA_STATUSES).optional(),
  ...page(100, 20),
});

export const schemaAnswer = z
  .object({
    id: z.uuid().meta({ description: 'Id of the saved schema' }),
    name: z.string(),
    description: z.string().nullable().meta({ description: 'Free text; null if there is none' }),
    schema: z.record(z.string(), z.unknown()).meta({ description: 'The JSON Schema of this version' }),
    prompt_hint: z.string().nullable(),
    version: z.int().min(1),
    status: z.enum(SCHEMA_STATUSES),
    created_at: timestamp,
  })
  .meta({ id: 'ExtractionSchema' });

export const schemaList = z
  .object({
    items: z.array(schemaAnswer),
    total_count: count,
    limit: count,
    offset: count,
    has_more: z.boolean(),
  })
  .meta({ id: 'ExtractionSchemaList' });

const name = displayName(MAX_SCHEMA_NAME_LENGTH);
const description = text(MAX_SCHEMA_DESCRIPTION_LENGTH)
  .nullish()
  .meta({ description: 'Free text; null or empty: none' });
const promptHint = text(MAX_EXTRACTION_PROMPT_LENGTH).nullish();

export const createSchemaBody = z.strictObject({
  name: name.meta({ description: 'Unique in the account, whatever its case' }),
  description,
  schema: jsonSchema,
  prompt_hint: promptHint,
  status: optionalWith(z.enum(SCHEMA_STATUSES), 'live'),
});

export const changeSchemaBody = z
  .strictObject({
    name: optional(name),
    description,
    schema: optionalJsonSchema,
    prompt_hint: promptHint,
    status: optional(z.enum(SCHEMA_STATUSES)),
  })
  .refine((body) => Object.values(body).some((value) => value !== undefined), {
    message: 'send at least one field',
  })
  .meta({ override: { minProperties: 1 } });

export const validateSchemaBody = z.strictObject({ schema: jsonSchema });

export const schemaViolations = z
  .array(
    z.object({
      pointer: z.string().meta({
        description: 'JSON pointer into the schema; empty for its root',
        examples: ['/properties/a'],
      }),
      rule: z
        .enum(SCHEMA_RULES)
        .meta({ description: 'What it violates; `more`: how many violations are not named' }),
      message: z.string(),
    }),
  )
  .meta({
    id: 'SchemaViolations',
    description:
      'Empty for a schema that can be used; at most 50, and one of the rule `more` that counts the others',
  });
