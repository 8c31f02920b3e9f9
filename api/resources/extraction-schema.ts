import { z } from 'zod';
import { optional, optionalWith, displayName, text } from '../../domain/schemas/text.ts';
import { page, integerIn } from '../../domain/schemas/query.ts';
import {
  MAX_EXTRACTION_PROMPT_LENGTH,
  MAX_SCHEMA_DESCRIPTION_LENGTH,
  MAX_SCHEMA_NAME_LENGTH,
} from '../../domain/structured-extraction/json-schema.ts';
import { SCHEMA_RULES } from '../../domain/structured-extraction/schema-violation.ts';
import type { SavedSchema } from '../../services/structured-extraction/saved-schemas/find-schema.ts';
import { schemaStatus } from './enums.ts';
import { componentField, createdAt, idParam, jsonObject, pageOf } from './fields.ts';

/** A schema may have 32 KB as compact JSON; indented it has several times as many. */
export const SCHEMA_BODY_BYTES = 256 * 1024;

const RULES =
  'A JSON Schema whose root is an object: at most 3 levels below the root, 50 properties an object, 200 nodes and 32 KB; types string, integer, number, boolean, array, object; composed by `anyOf` only';

/** Checked by the rules of domain/structured-extraction, which point to each offending node. */
export const jsonSchema = z.unknown().meta({
  override: { $ref: `#/components/schemas/${jsonObject.meta()?.id}` },
  description: RULES,
});

/** An optional schema. */
export const optionalJsonSchema = optional(z.unknown()).meta({
  override: { type: ['object', 'null'], additionalProperties: true },
  description: 'A JSON Schema whose root is an object, see the rules of `/extraction-schemas/validate`',
});

export const schemaParams = z.object({ schema_id: idParam('Id of a saved schema') });

export const schemaQuery = z.object({
  version: integerIn(1, 1_000_000).optional().describe('Version to read; by default the newest'),
});

export const schemaListQuery = z.object({
  status: schemaStatus.optional().describe('Only schemas in this state'),
  ...page(100, 20),
});

export const schemaAnswer = z
  .object({
    id: z.uuid().describe('Id of the saved schema'),
    name: z.string().describe('Name, unique in the account, ignoring case'),
    description: z.string().nullable().describe('Free text; null if there is none'),
    schema: componentField(jsonObject, 'The JSON Schema of this version'),
    prompt_hint: z.string().nullable().describe('Default prompt of extractions with this schema; null: none'),
    version: z
      .int()
      .min(1)
      .describe('Number of the version, from 1; a change of schema or prompt hint makes the next'),
    status: schemaStatus.describe('`live`, or `draft`, which uploads cannot name'),
    created_at: createdAt,
  })
  .meta({ id: 'ExtractionSchema' });

export const schemaList = z.object(pageOf(schemaAnswer)).meta({ id: 'ExtractionSchemaList' });

const name = displayName(MAX_SCHEMA_NAME_LENGTH);
const description = text(MAX_SCHEMA_DESCRIPTION_LENGTH).nullish().describe('Free text; null or empty: none');
const promptHint = text(MAX_EXTRACTION_PROMPT_LENGTH).nullish();

export const createSchemaBody = z.strictObject({
  name: name.describe('Unique in the account, ignoring case'),
  description,
  schema: jsonSchema,
  prompt_hint: promptHint.describe('Default prompt of extractions with this schema; null: none'),
  status: optionalWith(schemaStatus, 'live').describe('`live`, or `draft`, which uploads cannot name'),
});

export const changeSchemaBody = z
  .strictObject({
    name: optional(name).describe('Name, unique in the account, ignoring case'),
    description,
    schema: optionalJsonSchema,
    prompt_hint: promptHint.describe('Default prompt of extractions with this schema; null: none'),
    status: optional(schemaStatus).describe('`live`, or `draft`, which uploads cannot name'),
  })
  .refine((body) => Object.values(body).some((value) => value !== undefined), {
    message: 'send at least one field',
  })
  .meta({ override: { minProperties: 1 } });

export const validateSchemaBody = z.strictObject({
  schema: z.unknown().describe(`${RULES}. A value that is not an object is a violation, too`),
});

export const schemaViolations = z
  .array(
    z.object({
      pointer: z.string().meta({
        description: 'JSON pointer into the schema; empty for its root',
        examples: ['/properties/a'],
      }),
      rule: z.enum(SCHEMA_RULES).describe('Rule that it violates; `more`: how many violations are not named'),
      message: z.string().describe('What violates the rule, and the limit'),
    }),
  )
  .meta({
    id: 'SchemaViolations',
    description:
      'Empty for a schema that can be used; at most 50, and one of the rule `more` that counts the others',
  });

export function presentSchema({ saved, version }: SavedSchema): z.input<typeof schemaAnswer> {
  return {
    id: saved.id,
    name: saved.name,
    description: saved.description ?? null,
    schema: version.schema,
    prompt_hint: version.promptHint ?? null,
    version: version.version,
    status: saved.status,
    created_at: saved.createdAt.toISOString(),
  };
}
