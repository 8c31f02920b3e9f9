import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { pino } from 'pino';
import { createApp } from '../../../api/app.ts';
import type { ApiDeps } from '../../../api/deps.ts';
import { trustProxies } from '../../../api/http/client-address.ts';
import { createCredentialFailures } from '../../../api/http/credential-failures.ts';
import { createPeerLimit } from '../../../api/http/peer-limit.ts';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm, type Orm } from '../../../db/create-orm.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { createPartBuffers } from '../../../services/uploads/streaming/part-buffers.ts';
import { createUploadMemory } from '../../../services/uploads/streaming/upload-memory.ts';
import { createClient, sharedRun, type Client, type Json, type RunInfo } from '../../support/api.ts';
import { logIn } from '../../support/login.ts';

/** Text that cannot be stored, in every string of the OpenAPI document, on an API with no server but Postgres. */
const RUNS_PER_FIELD = 2;
let orm: Orm;
let run: RunInfo;
const server = createServer();

before(async () => {
  orm = createOrm(readConfig([databaseConfig], process.env));
  const deps: Partial<ApiDeps> = {
    orm,
    log: pino({ level: 'silent' }),
    eventLimit: createPeerLimit({ requestsPerMinute: 1e6, openRequests: 1e6 }),
    shareLimit: createPeerLimit({ requestsPerMinute: 1e6, openRequests: 1e6 }),
    bodyPace: { bytesPerSecond: 0, overSeconds: 1 },
    uploadMemory: createUploadMemory({ globalBytes: 1e9, tenantBytes: 1e9 }),
    partBuffers: createPartBuffers(1),
    publicBaseUrl: undefined,
    trustedProxies: trustProxies([]),
    authAttemptsPerMinute: 1e6,
    credentialFailures: createCredentialFailures({ failuresPerMinute: 1e6 }),
    requestEvents: { add: () => undefined, close: async () => undefined },
    draining: () => false,
  };
  const answer = createApp(deps as ApiDeps).callback();
  server.on('request', (request, response) => void answer(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  run = { ...sharedRun(), api_url: `${origin}/api/v2` };
});
after(async () => {
  server.close();
  server.closeAllConnections();
  await orm.close(true);
});

const around = fc.tuple(fc.string({ maxLength: 5 }), fc.string({ maxLength: 5 }));
const containing = (bad: fc.Arbitrary<string>) =>
  fc.tuple(around, bad).map(([[before, after], middle]) => `${before}${middle}${after}`);
const surrogate = fc.integer({ min: 0xd800, max: 0xdfff }).map((unit) => String.fromCharCode(unit));
/** URLs and forms are UTF-8, which cannot express a lone surrogate. */
const ENCODED = containing(fc.constant('\0'));
const JSON_TEXT = containing(fc.oneof(fc.constant('\0'), surrogate)).filter(
  (text) => text.includes('\0') || !text.isWellFormed(),
);

interface Field {
  name: string;
  texts: fc.Arbitrary<string>;
  send: (client: Client, text: string) => ReturnType<Client['request']>;
}

test('no string field of any operation accepts NUL or a lone surrogate', async () => {
  const { body: document } = await createClient(run).get('/openapi.json');
  const fields = Object.entries<Json>(document.paths).flatMap(([path, operations]) =>
    Object.entries<Json>(operations).flatMap(([method, operation]) =>
      fieldsOf(document, method.toUpperCase(), path, operation),
    ),
  );
  assert.ok(fields.length > 100, String(fields.length));
  for (const { name, texts, send } of fields) {
    // Some operations are limited to a few requests an hour.
    const { client } = await logIn(orm, run);
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        const { status, body } = await send(client, text);
        assert.equal(status, 422, `${name}: ${JSON.stringify(body)}`);
        assert.match(body.errors[0].message, /NUL or a lone surrogate/, name);
      }),
      { numRuns: RUNS_PER_FIELD },
    );
  }
});

function fieldsOf(document: Json, method: string, path: string, operation: Json): Field[] {
  const url = (values: Record<string, string> = {}) =>
    path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? randomUUID()));
  const fields: Field[] = [];
  for (const { in: place, name } of operation.parameters ?? []) {
    const send = (client: Client, text: string) =>
      place === 'path'
        ? client.request(method, url({ [name]: text }))
        : client.request(method, `${url()}?${new URLSearchParams({ [name]: text }).toString()}`);
    if (place !== 'header') fields.push({ name: `${method} ${path} ${name}`, texts: ENCODED, send });
  }
  const { 'application/json': json, 'multipart/form-data': form } = operation.requestBody?.content ?? {};
  for (const bodyWith of json ? stringsIn(document, json.schema) : []) {
    fields.push({
      name: `${method} ${path} ${JSON.stringify(bodyWith('…'))}`,
      texts: JSON_TEXT,
      send: (client, text) =>
        client.request(method, url(), {
          body: JSON.stringify(bodyWith(text)),
          headers: { 'Content-Type': 'application/json' },
        }),
    });
  }
  for (const [name, schema] of Object.entries<Json>(form?.schema.properties ?? {})) {
    if (schema.format === 'binary' || schema.items?.format === 'binary') continue;
    fields.push({
      name: `${method} ${path} ${name}`,
      texts: ENCODED,
      send(client, text) {
        const body = new FormData();
        body.append(name, text);
        body.append(form.schema.properties.file ? 'file' : 'files', new Blob(['x']), 'x');
        return client.request(method, url(), { body });
      },
    });
  }
  return fields;
}

/** For each string in a schema, a function that builds a value in which only that string is set. */
function stringsIn(document: Json, schema: Json): ((text: string) => Json)[] {
  if (schema.$ref) {
    const name = schema.$ref.split('/').at(-1);
    return stringsIn(document, document.components.schemas[name]);
  }
  const within = (inner: Json, wrap: (value: Json) => Json) =>
    stringsIn(document, inner).map((build) => (text: string) => wrap(build(text)));
  const types = [schema.type].flat();
  return [
    ...(types.includes('string') ? [(text: string) => text] : []),
    ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])].flatMap((one) =>
      stringsIn(document, one),
    ),
    ...(schema.items ? within(schema.items, (value) => [value]) : []),
    ...Object.entries<Json>(schema.properties ?? {}).flatMap(([name, inner]) =>
      within(inner, (value) => ({ [name]: value })),
    ),
    ...(typeof schema.additionalProperties === 'object'
      ? [(text: string) => ({ key: text }), (text: string) => ({ [text]: 1 })]
      : []),
  ];
}
