import type { Api, Body, Data } from './api.ts';
import { ApiError, DarkroomError } from './errors.ts';
import type { Transport } from './transport.ts';
import { waitUntil, type WaitOptions } from './wait.ts';

/** A schema of zod (4.2 or later), or of another library that implements Standard Schema and Standard JSON Schema. */
export interface StandardSchema<T = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly types?: { readonly input: unknown; readonly output: T } | undefined;
    readonly validate: (value: unknown) => Validated<T> | Promise<Validated<T>>;
    readonly jsonSchema: {
      readonly input: (options: { target: 'draft-2020-12' }) => Record<string, unknown>;
    };
  };
}
type Validated<T> =
  | { readonly value: T; readonly issues?: undefined }
  | {
      readonly issues: readonly {
        readonly message: string;
        readonly path?: readonly unknown[] | undefined;
      }[];
    };

/** A JSON Schema whose root is an object. */
export type JsonSchema = Record<string, unknown>;

type Request = Body<'/extract'>;
type Answer = Extract<Data<'/extract', 'post'>, { extracted_data: unknown }>;
type Stored = Data<'/extractions/{extraction_id}', 'get'>;

/** The source of an extraction: the id of an uploaded file, or an image that is not stored. */
export type ExtractSource = string | { image_url: string } | { image_base64: string };

export interface ExtractOptions
  extends Pick<Request, 'prompt' | 'analysis_level'>, Pick<WaitOptions, 'signal' | 'live'> {
  /** Whether to return the source of each value; true by default. */
  citations?: boolean;
}

/** A result, typed by the schema. */
export interface Extracted<T> {
  extraction_id: string;
  data: T;
  /** The source of each value, by JSON pointer into the data; null unless requested. */
  citations: NonNullable<Answer['citations']> | null;
  provider: string | null;
  model: string | null;
}

/** Seconds for which one request waits; longer extractions are followed by their events. */
const REQUEST_SECONDS = 60;

/**
 * Extracts values by a schema and waits for them.
 *
 * @throws ApiError; DarkroomError RESULT_MISMATCH if the values violate a rule of the schema that JSON Schema cannot
 *   express; ConnectionError, the reason of the signal
 */
export async function extract<T>(
  { api, transport }: { api: Api; transport: Transport },
  source: ExtractSource,
  schema: StandardSchema<T> | JsonSchema,
  { citations = true, signal, live, ...options }: ExtractOptions = {},
): Promise<Extracted<T>> {
  const { data: answer } = await api.POST('/extract', {
    body: {
      ...(typeof source === 'string' ? { file_id: source } : source),
      ...options,
      citations,
      schema: jsonSchemaOf(schema),
      timeout: REQUEST_SECONDS,
    },
    timeoutMs: Math.max(transport.timeoutMs, (REQUEST_SECONDS + 30) * 1000),
    ...(signal && { signal }),
  });
  const done =
    'extracted_data' in answer
      ? answer
      : await finished({ api, transport }, answer.extraction_id, { signal, live });
  return {
    extraction_id: done.extraction_id,
    data: await validated(schema, done.extracted_data),
    citations: done.citations ?? null,
    provider: done.provider,
    model: done.model,
  };
}

async function finished(
  { api, transport }: { api: Api; transport: Transport },
  id: string,
  options: WaitOptions,
): Promise<Stored> {
  const path = { extraction_id: id };
  const stored = await waitUntil(
    transport,
    {
      events: `/extractions/${id}/events`,
      read: async () =>
        (await api.GET('/extractions/{extraction_id}', { params: { path }, signal: options.signal })).data,
      ended: ({ status }) => status !== 'processing',
    },
    options,
  );
  if (stored.status === 'completed') return stored;
  const { error } = stored as { error?: { code: string; message: string } | null };
  throw new ApiError(error?.code ?? 'EXTRACTION_FAILED', error?.message ?? 'the extraction failed', {
    status: 200,
  });
}

function isStandard<T>(schema: StandardSchema<T> | JsonSchema): schema is StandardSchema<T> {
  return '~standard' in schema;
}

function jsonSchemaOf(schema: StandardSchema | JsonSchema): JsonSchema {
  if (!isStandard(schema)) return schema;
  const { $schema: _dialect, ...rules } = schema['~standard'].jsonSchema.input({ target: 'draft-2020-12' });
  return rules;
}

async function validated<T>(schema: StandardSchema<T> | JsonSchema, data: unknown): Promise<T> {
  if (!isStandard(schema)) return data as T;
  const result = await schema['~standard'].validate(data);
  if (!result.issues) return result.value;
  const why = result.issues.map(({ message, path = [] }) => `${path.join('.')}: ${message}`).join('; ');
  throw new DarkroomError('RESULT_MISMATCH', `the values do not match the schema: ${why}`);
}
