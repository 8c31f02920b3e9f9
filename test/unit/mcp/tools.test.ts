import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { bodyOf, operationOf, requestOf } from '../../../api/mcp/call-operation.ts';
import { pageUri, parseUri, RESOURCES } from '../../../api/mcp/resources.ts';
import { listed, TOOLS } from '../../../api/mcp/tools.ts';
import { ROUTES } from '../../../api/routes/index.ts';
import { WHOLE_DOCUMENT } from '../../../api/routes/whole-document.ts';
import { AppError } from '../../../domain/app-error.ts';

test('every tool is a current operation that takes keys', () => {
  for (const { name, route } of TOOLS) {
    assert.match(name, /^[a-z]+(_[a-z]+)*$/);
    assert.ok(ROUTES.includes(route) && route.deprecated === undefined, name);
    assert.match(route.permit, /^(files\.read|files\.write|extract\.run)$/, name);
  }
  assert.equal(new Set(TOOLS.map(({ name }) => name)).size, TOOLS.length);
  assert.throws(() => operationOf('noSuchOperation'), /no operation noSuchOperation/);
  assert.throws(() => operationOf('logIn'), /no operation logIn/, 'an operation that takes no API key');
});

test('the arguments of a tool are the described fields of its operation, each in one place', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  for (const tool of TOOLS) {
    const { name, route, without, defaults } = tool;
    const schema = listed(tool).inputSchema as { properties: Record<string, { description?: string }> };
    // Fails on a reference to a missing component.
    ajv.compile(schema);
    const shapes = [route.params, route.query, bodyOf(route)].flatMap((part) =>
      Object.keys((part as { shape?: object } | undefined)?.shape ?? {}),
    );
    const keyed = route.idempotent === undefined ? [] : ['idempotency_key'];
    const expected = [...new Set([...shapes, ...keyed])].filter((field) => !without.includes(field));
    assert.deepEqual(Object.keys(schema.properties).toSorted(), expected.toSorted(), name);
    assert.deepEqual(
      [...without, ...Object.keys(defaults)].filter((field) => !shapes.includes(field)),
      [],
      name,
    );
    for (const [field, { description }] of Object.entries(schema.properties))
      assert.ok(description, `${name}.${field} has no description`);
  }
});

/** URLs of third parties; other URLs may be presigned, which agents must not get. */
const PUBLIC_URLS = ['canonical_url', 'final_url', 'source_url'];

test('agents get no URLs of this service', () => {
  const { paths, components } = JSON.parse(JSON.stringify(WHOLE_DOCUMENT)) as {
    paths: Record<string, Record<string, { operationId?: string; responses: Record<string, object> }>>;
    components: { schemas: Record<string, object> };
  };
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  /** The names of all fields reachable from a schema; visits each component once. */
  const fieldsOf = (part: unknown, seen: Set<string>): string[] =>
    typeof part !== 'object' || part === null
      ? []
      : Object.entries(part).flatMap(([name, value]: [string, unknown]) => {
          if (name === 'properties') return [...Object.keys(value as object), ...fieldsOf(value, seen)];
          if (name !== '$ref') return fieldsOf(value, seen);
          const component = String(value).split('/').at(-1) ?? '';
          if (seen.has(component)) return [];
          seen.add(component);
          return fieldsOf(components.schemas[component], seen);
        });
  for (const { name, route, drops } of TOOLS) {
    const responses =
      operations.find(({ operationId }) => operationId === route.operationId)?.responses ?? {};
    const answers = Object.entries(responses).flatMap(([status, answer]) => (status < '300' ? [answer] : []));
    const urls = fieldsOf(answers, new Set()).filter((field) => /_urls?$/.test(field));
    const kept = urls.filter((field) => !drops.includes(field) && !PUBLIC_URLS.includes(field));
    assert.deepEqual([name, kept], [name, []]);
    if (name === 'get_file') assert.ok(urls.includes('screenshot_url'));
  }
});

test('the guide names the operation and the scope of every tool', () => {
  const page = readFileSync(new URL('../../../docs/guide/agents.md', import.meta.url), 'utf8');
  const rows = page.split('\n').map((line) => Array.from(line.matchAll(/`([^`]+)`/g), ([, cell]) => cell));
  for (const { name, route } of TOOLS) {
    const operation = `${route.method.toUpperCase()} ${route.path.replaceAll(/:(\w+)/g, '{$1}')}`;
    assert.deepEqual(
      rows.find(([first]) => first === name),
      [name, operation, route.permit],
    );
  }
});

test('annotations mark the tools that write and those that reach outside', () => {
  const of = (hint: 'readOnlyHint' | 'openWorldHint') =>
    TOOLS.filter((tool) => listed(tool).annotations?.[hint]).map(({ name }) => name);
  const writing = TOOLS.filter((tool) => !listed(tool).annotations?.readOnlyHint).map(({ name }) => name);
  assert.deepEqual(writing, [
    'ask_documents',
    'add_image',
    'add_link',
    'import_bucket',
    'split_document',
    'extract_data',
  ]);
  assert.deepEqual(of('openWorldHint'), ['add_image', 'add_link', 'import_bucket', 'extract_data']);
  assert.ok(TOOLS.every((tool) => listed(tool).annotations?.destructiveHint === false));
});

const FILE = '0f0e0d0c';

test('arguments become path, query, header and body of the request', () => {
  const request = (operationId: string, given: Record<string, unknown>) => {
    const { method, path, headers, body } = requestOf(operationOf(operationId), given);
    return [method, path, headers, body && JSON.parse(body)];
  };
  assert.deepEqual(request('getDigitizedPage', { file_id: FILE, page_number: 3 }), [
    'GET',
    `/api/v2/files/${FILE}/digitization/pages/3`,
    {},
    undefined,
  ]);
  assert.deepEqual(
    request('listFiles', { tags: ['a b', 'c'], ids: [], has_description: true, search: null, no: 1 }),
    ['GET', '/api/v2/files?tags=a+b&tags=c&ids=&has_description=true&no=1', {}, undefined],
  );
  assert.equal(
    request('getFile', { file_id: FILE, constructor: 'y' })[1],
    `/api/v2/files/${FILE}?constructor=y`,
  );
  assert.deepEqual(request('extractData', { file_id: 'x', citations: true, no: 1, idempotency_key: 'k1' }), [
    'POST',
    '/api/v2/extract',
    { 'content-type': 'application/json', 'Idempotency-Key': 'k1' },
    { file_id: 'x', citations: true, no: 1 },
  ]);
});

function refused(operationId: string, given: Record<string, unknown>): unknown {
  try {
    requestOf(operationOf(operationId), given);
  } catch (error) {
    return error instanceof AppError && error.code;
  }
  return undefined;
}

test('a malformed id is not found, so that no tool can call another operation', () => {
  const words = ROUTES.flatMap(({ path }) => path.split('/')).filter((word) => !word.startsWith(':'));
  for (const { name, route } of TOOLS) {
    const ids = Object.keys(route.params?.shape ?? {}).filter((param) => param.endsWith('_id'));
    for (const given of [...words, '.', '..', 'a/../b', '0f0e0d0c/download']) {
      if (ids.length === 0) continue;
      const params = {
        page_number: 1,
        variant_type: 'original',
        ...Object.fromEntries(ids.map((id) => [id, given])),
      };
      assert.equal(refused(route.operationId, params), 'NOT_FOUND', `${name}: ${given}`);
    }
  }
});

test('arguments that cannot form a request are refused like invalid fields', () => {
  assert.equal(refused('getFile', {}), 'VALIDATION_FAILED');
  assert.equal(refused('getFile', { file_id: '\ud800' }), 'VALIDATION_FAILED');
  assert.equal(refused('getFileVariant', { file_id: FILE, variant_type: 'huge' }), 'VALIDATION_FAILED');
  assert.equal(refused('extractData', { idempotency_key: 'a\r\nX-Other: b' }), 'VALIDATION_FAILED');
});

test('a URI contains the path parameters of its operation', () => {
  for (const { uriTemplate, route } of RESOURCES) {
    const names = Array.from(uriTemplate.matchAll(/\{(\w+)\}/g), ([, name]) => name);
    assert.deepEqual(names, Object.keys(route.params?.shape ?? {}));
  }
  assert.deepEqual(parseUri(pageUri('0f', 7))?.params, { file_id: '0f', page_number: '7' });
  assert.equal(parseUri('darkroom://files/0f/images/small_256')?.kind.name, 'image');
  for (const other of ['', 'file:///etc/passwd', 'darkroom://files/0f', 'darkroom://files/a/b/pages/1'])
    assert.equal(parseUri(other), undefined);
});
