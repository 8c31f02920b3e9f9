import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { z } from 'zod';
import { ERRORS } from '../../../domain/app-error.ts';
import { CONTENT_TYPES_OF_SDKS } from '../../../api/openapi/sdk-content-types.ts';
import { openApiDocument, partOf } from '../../../api/openapi/document.ts';
import { errorsPage } from '../../../api/openapi/errors-page.ts';
import { ROUTES } from '../../../api/routes/index.ts';
import { isForPrograms } from '../../../api/routes/system/system-routes.ts';
import { WHOLE_DOCUMENT } from '../../../api/routes/whole-document.ts';
import type { Json } from '../../support/api.ts';

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const document: Json = JSON.parse(JSON.stringify(openApiDocument(ROUTES)));
const operations = Object.values<Json>(document.paths).flatMap((path) => Object.values<Json>(path));

/**
 * Every object of the document with its path. Examples are skipped: they are values even where they look like
 * schemas.
 */
function* nodes(value: Json, path = ''): Generator<[path: string, node: Json]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [path, value];
  for (const [key, child] of Object.entries(value)) {
    if (key !== 'example' && key !== 'examples') yield* nodes(child, `${path}/${key}`);
  }
}

/** Paths of the matching nodes. */
const where = (matches: (node: Json, path: string) => boolean) =>
  [...nodes(document)].filter(([path, node]) => matches(node, path)).map(([path]) => path);

/** A schema, or the component to which it refers. */
const resolved = (schema?: Json): Json =>
  schema?.$ref ? document.components.schemas[schema.$ref.split('/').at(-1)] : schema;

const isSchema = (path: string) =>
  /\/(schemas\/\w+|schema|items|properties\/\w+|anyOf\/\d+|oneOf\/\d+)$/.test(path);

test('a part of the document is what is built from the routes of the part', () => {
  const current = ROUTES.filter(({ deprecated }) => !deprecated);
  for (const routes of [current, current.filter(isForPrograms)]) {
    const built: Json = JSON.parse(JSON.stringify(openApiDocument(routes)));
    assert.deepEqual(JSON.parse(JSON.stringify(partOf(WHOLE_DOCUMENT, routes))), built);
  }
});

test('the committed OpenAPI document matches the routes (npm run openapi writes it)', () => {
  assert.deepEqual(document, JSON.parse(read('api/openapi.json')));
});

test('the page of errors matches the registry (npm run openapi writes it)', () => {
  assert.equal(errorsPage(), read('docs/errors.md'));
});

for (const [path, text] of Object.entries(CONTENT_TYPES_OF_SDKS)) {
  test(`${path} has the accepted content types (npm run openapi writes it)`, () => {
    assert.equal(text, read(path));
  });
}

test('every operation has a unique id', () => {
  const ids = ROUTES.map(({ operationId }) => operationId);
  assert.equal(new Set(ids).size, ids.length);
});

/** "500: Extraction: model provider unavailable or empty result" */
const INTERNAL_ERRORS: readonly string[] = [
  'MODEL_UNAVAILABLE',
  'EXTRACTION_EMPTY',
  'EXTRACTION_FAILED',
  'ANSWER_FAILED',
  'INTERNAL',
];

test('every documented error is a 4xx or an outage, except for extractions, answers and defects', () => {
  for (const [code, { status }] of Object.entries(ERRORS)) {
    if (INTERNAL_ERRORS.includes(code)) assert.equal(status, 500);
    else assert.ok((status >= 400 && status < 500) || status === 503, code);
  }
});

test('null means "not given" for every optional field of a JSON body', () => {
  const strict: string[] = [];
  const walk = (at: string, schema: JsonSchema): void => {
    for (const branch of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) walk(at, branch);
    if (schema.items) walk(`${at}/*`, schema.items);
    for (const [name, field] of Object.entries(schema.properties ?? {})) {
      const optional = !schema.required?.includes(name);
      if (optional && !allowsNull(field)) strict.push(`${at}/${name}`);
      walk(`${at}/${name}`, field);
    }
  };
  for (const { operationId, body, formAsJson } of ROUTES) {
    for (const schema of [body, formAsJson]) {
      if (!schema) continue;
      walk(operationId, z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema);
    }
  }
  assert.deepEqual(strict, []);
});

test('every field and parameter is described', () => {
  const silent = where((node, path) => {
    const isField = /\/properties\/\w+$/.test(path) && !path.endsWith('/properties/properties');
    return (isField || /\/parameters\/\d+$/.test(path)) && !node.description;
  });
  assert.deepEqual(silent, []);
});

test('no description mentions null where the field is never null', () => {
  const wrong = where(
    (node, path) =>
      /\/properties\/\w+$/.test(path) &&
      /\bnull\b/i.test(node.description) &&
      // A field without a type takes any value.
      (node.type ?? node.anyOf ?? node.oneOf) &&
      !allowsNull(node),
  );
  assert.deepEqual(wrong, []);
});

/** Names with different meanings in different schemas, and words that belong to only one of them. */
const TWO_MEANINGS: [words: RegExp, places: RegExp][] = [
  [
    /\bfolder/,
    /folder|project|File|Manifest|Image|Document|Similar|Chunk|Upload|Batch|parameters|requestBody/i,
  ],
  [/not a document/, /^$/],
  [/`jpeg`/, /FileItem|ImageDetail/],
  [/page of the list/, /\/items$|LegacyUploadSessionList/],
  [/Type of the message/, /Frame|Notice|Command/],
];

test('the description of a name with two meanings fits its schema', () => {
  const wrong = where(
    (node, path) =>
      /\/properties\/\w+$/.test(path) &&
      TWO_MEANINGS.some(([words, places]) => words.test(node.description) && !places.test(path)),
  );
  assert.deepEqual(wrong, []);
});

test('numbers that count are integers with bounds', () => {
  const COUNTING =
    /(_count|_files|_bytes|_ms|_number|_parts|_uploads|attempts?|generation|index|limit|offset|seq)$/;
  const loose = where((node, path) => {
    const types = [node.type].flat();
    if (types.includes('integer')) return node.minimum === undefined;
    return types.includes('number') && node.const === undefined && COUNTING.test(path);
  });
  assert.deepEqual(loose, []);
});

test('a set of values or an object that occurs twice is a component, so that clients get one type for it', () => {
  const places = new Map<string, string[]>();
  for (const [path, node] of nodes(document)) {
    if (/\/schemas\/\w+$/.test(path) || !isSchema(path)) continue;
    if (!node.enum && node.type !== 'object') continue;
    // Code generators need the media type of the form, even where JSON has the same fields.
    if (path.endsWith('/multipart/form-data/schema')) continue;
    const key = JSON.stringify(node, (name, value: unknown) =>
      ['description', 'default', 'examples'].includes(name) && typeof value !== 'object' ? undefined : value,
    );
    places.set(key, [...(places.get(key) ?? []), path]);
  }
  assert.deepEqual(
    [...places.values()].filter((paths) => paths.length > 1),
    [],
  );
});

test('every error has the same schema, and its response lists the possible codes', () => {
  for (const [name, { content, ...response }] of Object.entries<Json>(document.components.responses)) {
    assert.deepEqual(content['application/json'].schema, { $ref: '#/components/schemas/Problem' }, name);
    assert.ok(response['x-codes'].length > 0, name);
  }
});

/** Every kind of channel has its own `snapshot`, so the prefix of `channel` is the discriminator. */
const DISCRIMINATED_BY_CHANNEL = '/components/schemas/LiveMessage';
/** The name of a server-sent event is beside its data. */
const DISCRIMINATED_BY_EVENT = '/paths//files/ask/post/responses/200/content/text/event-stream/schema';
/** The discriminator of a connection may be left out, which no discriminator can say. */
const WITH_A_DEFAULT = '/paths//connections/post/requestBody/content/application/json/schema';
/** The members of a union, or a schema itself. */
const membersOf = (schema: Json): Json[] =>
  (schema?.oneOf ?? schema?.anyOf)?.map((member: Json) => resolved(member)) ?? [schema];

test('every union of objects names its discriminator, and its members are components', () => {
  const unions = where((node, path) => {
    const members: Json[] = node.oneOf ?? node.anyOf ?? [];
    return isSchema(path) && members.filter((one) => one.$ref ?? one.type === 'object').length > 1;
  });
  assert.ok(unions.length >= 4, 'the walk does not find the unions');
  const open = where((node, path) => unions.includes(path) && !node.discriminator?.mapping);
  assert.deepEqual(open, [DISCRIMINATED_BY_EVENT, WITH_A_DEFAULT, DISCRIMINATED_BY_CHANNEL]);
});

test('responses allow new fields, and request bodies define which fields they accept', () => {
  const closed = where((node, path) => path.includes('/responses/') && node.additionalProperties === false);
  assert.deepEqual(closed, []);
  const bodies = operations.map(({ requestBody }) =>
    resolved(requestBody?.content['application/json']?.schema),
  );
  const objects = bodies.flatMap(membersOf).filter((schema) => schema && schema.type !== 'string');
  const lax = objects.filter((schema) => schema.additionalProperties !== false);
  // Only telemetry accepts any fields.
  assert.equal(lax.length, 1);
});

test('a body is required unless it may be empty', () => {
  for (const { operationId, requestBody } of operations.filter((one) => one.requestBody)) {
    const [content] = Object.values<Json>(requestBody.content);
    const needed = membersOf(resolved(content.schema)).every(
      ({ type, required = [], minProperties = 0 }) =>
        type === 'string' || required.length + minProperties > 0,
    );
    assert.equal(requestBody.required, needed, operationId);
  }
});

test('fields with a default document it in forms as well', () => {
  const { properties } =
    document.paths['/files/upload'].post.requestBody.content['multipart/form-data'].schema;
  assert.equal(properties.auto_describe.default, true);
  assert.equal(properties.skip_duplicates.default, false);
  assert.equal(properties.storage_target.default, 'default');
});

test('ids in paths have a format', () => {
  const loose = where(
    (node, path) =>
      /\/parameters\/\d+$/.test(path) &&
      node.in === 'path' &&
      !['format', 'pattern', 'enum'].some((rule) => rule in resolved(node.schema)),
  );
  assert.deepEqual(loose, []);
});

test('every operation has an example of its parameters, body and response', () => {
  for (const { operationId, parameters = [], requestBody, responses, ...operation } of operations) {
    const [answer] = Object.values<Json>(responses);
    const contents = [requestBody, answer].flatMap((one) => Object.values<Json>(one?.content ?? {}));
    const inPath = parameters.filter((one: Json) => one.in === 'path');
    for (const one of [...contents, ...inPath])
      assert.ok('example' in one || one.examples || resolved(one.schema).examples, operationId);
    // A WebSocket has commands instead.
    if (contents.length + parameters.length > 0 || responses[101]) continue;
    const [sample] = operation['x-codeSamples'] ?? [];
    assert.match(sample?.source ?? '', /^curl .*"\$API\/[\w/-]+"$/, operationId);
  }
  const { LiveCommand, SubscribeCommand, UnsubscribeCommand } = document.components.schemas;
  assert.ok(LiveCommand.examples);
  assert.equal(LiveCommand.unevaluatedProperties, false);
  for (const command of [SubscribeCommand, UnsubscribeCommand])
    assert.equal(command.additionalProperties, false);
});

interface JsonSchema {
  type?: string | string[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  required?: string[];
}

function allowsNull({ type, anyOf = [] }: JsonSchema): boolean {
  return [type].flat().includes('null') || anyOf.some(allowsNull);
}
