import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { ProcessName } from '../../../dev/processes/program.ts';
import { eventually, type Json } from '../../support/api.ts';
import { demoImage } from '../../support/images.ts';
import type { CollectedSpan } from '../../support/trace-collector.ts';
import { FILE_WORKFLOWS } from '../../../temporal/contract/process-file.ts';
import { UPLOAD_SESSION_WORKFLOWS } from '../../../temporal/contract/upload-session.ts';
import { fetchHistory } from '../../../temporal/status/fetch-history.ts';
import { ensureWorkflowBundle } from '../../../worker/workflow-bundle.ts';
import { collector, own } from './stack.ts';

const { client, tenantId } = await own.newTenant();

/** The `traceparent` of a caller that records its own trace, and its ids. */
function caller() {
  const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
  return { traceId, spanId, headers: { traceparent: `00-${traceId}-${spanId}-01` } };
}

async function upload(bytes: Buffer, filename: string, headers: Record<string, string>): Promise<string> {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(bytes)]), filename);
  const { status, body } = await client.request('POST', '/files/upload', { body: form, headers });
  assert.equal(status, 201, JSON.stringify(body));
  await client.settled(body.file_id);
  return body.file_id as string;
}

/** The names from the root of a trace to a span. */
function pathTo(span: CollectedSpan): string[] {
  const parent = collector.spans.find(({ id, traceId }) => id === span.parentId && traceId === span.traceId);
  return [...(parent ? pathTo(parent) : []), span.name];
}

/** Waits until a trace has spans at all of these places: the last parts of paths, each name by its start. */
async function untilTraced(traceId: string, places: readonly string[][]): Promise<CollectedSpan[]> {
  return eventually(async () => {
    const spans = collector.spans.filter((span) => span.traceId === traceId);
    const paths = spans.map(pathTo);
    const missing = places.filter(
      (place) =>
        !paths.some((path) => place.every((name, at) => path.at(at - place.length)?.startsWith(name))),
    );
    assert.deepEqual(missing, [], `the trace has only ${JSON.stringify(paths, undefined, 1)}`);
    return spans;
  });
}

const logOf = (name: ProcessName): Json[] =>
  readFileSync(own.stack.logPath(name), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));

test('a trace leads from the request of an upload through the workflow to processes, servers and models', async () => {
  const { traceId, spanId, headers } = caller();
  const secret = `holiday-${randomUUID()}.jpg`;
  const requestId = randomUUID();
  const fileId = await upload(demoImage('chelsea.jpg'), secret, { ...headers, 'X-Request-Id': requestId });

  const workflow = ['POST /api/v2/files/upload', 'StartWorkflow:processFile', 'RunWorkflow:processFile'];
  const spans = await untilTraced(traceId, [
    ['POST /api/v2/files/upload', 's3 '],
    ['POST /api/v2/files/upload', 'postgres insert files'],
    [...workflow, 'RunActivity:beginFileWork', 'postgres update files'],
    [...workflow, 'RunActivity:makeImage', 's3 GET'],
    [...workflow, 'RunActivity:makeImage', 'process image-decoder/decoder-process'],
    [...workflow, 'RunActivity:describeImage', 'model call'],
    [...workflow, 'RunActivity:indexImage', 'vector index upsert'],
  ]);

  const [root] = spans.filter(({ name }) => name === workflow[0]);
  assert.equal(root?.parentId, spanId);
  assert.equal(root.service, 'darkroom-api');
  const ids = { request_id: requestId, tenant_id: tenantId, file_id: fileId };
  assert.deepEqual({ ...root.attributes, ...ids }, root.attributes);
  const run = spans.find(({ name }) => name === 'RunWorkflow:processFile');
  assert.deepEqual(
    [run?.service, run?.attributes['tenant_id'], run?.attributes['file_id']],
    ['darkroom-worker', tenantId, fileId],
  );
  assert.equal(new Set(spans.map(({ id }) => id)).size, spans.length);
  for (const content of [secret, own.stack.runInfo.api_key]) assert.ok(!collector.bytes().includes(content));

  const { runs } = (await client.get(`/files/${fileId}/timeline`)).body;
  assert.deepEqual(
    runs.map((one: Json) => one.trace_id),
    [traceId],
  );
  const traced = (name: ProcessName, msg: string) =>
    logOf(name).some((line) => line.trace_id === traceId && line.msg === msg);
  assert.ok(traced('api', 'request'));
  assert.ok(traced('worker-cpu', 'activity completed'));
});

test('an error has the id of its trace', async () => {
  const { traceId, headers } = caller();
  const { body } = await client.request('GET', `/files/${randomUUID()}`, { headers });
  assert.deepEqual([body.code, body.trace_id], ['NOT_FOUND', traceId]);
  const route = 'GET /api/v2/files/:file_id';
  const span = (await untilTraced(traceId, [[route]])).find(({ name }) => name === route);
  assert.deepEqual([span?.attributes['error.type'], span?.failed], ['NOT_FOUND', false]);
});

test('each file of a batch, whose workflow is a child, is in the trace of the request', async () => {
  const { traceId, headers } = caller();
  const form = new FormData();
  for (const name of ['coffee.jpg', 'astronaut.webp'])
    form.append('files', new Blob([new Uint8Array(demoImage(name))]), name);
  const { body } = await client.request('POST', '/files/upload/batch', { body: form, headers });
  await client.sessionEnded(body.session_id);
  const ids: string[] = body.immediate_results.map((one: Json) => one.file_id);
  const session = ['RunWorkflow:uploadSession', 'RunWorkflow:processFile'];
  await untilTraced(traceId, [[...session, 'RunActivity:makeImage', 'process image-decoder/']]);
  await eventually(async () => {
    const runs = collector.spans.filter((span) => span.traceId === traceId && span.name === session[1]);
    assert.deepEqual(runs.map((span) => span.attributes['file_id']).toSorted(), ids.toSorted());
  });

  // The trace is in their headers alone: the code replays them as it does those without.
  const workflowIds = [
    UPLOAD_SESSION_WORKFLOWS.of(body.session_id),
    ...ids.map((id) => FILE_WORKFLOWS.of(id)),
  ];
  const histories = await Promise.all(
    workflowIds.map(async (workflowId) => ({
      workflowId,
      history: await fetchHistory(own.engine, workflowId, undefined, 10_000),
    })),
  );
  for (const { history } of histories) assert.match(JSON.stringify(history), /_tracer-data/);
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const workflowBundle = { codePath: await ensureWorkflowBundle() };
  const sinks = { traces: { runEnded: { fn: () => undefined } } };
  for await (const { error } of Worker.runReplayHistories({ workflowBundle, sinks }, histories)) {
    assert.ifError(error);
  }
});

test('a collector that does not answer delays nothing, is reported, and holds up no process that ends', async () => {
  collector.hang(true);
  const fileId = await upload(demoImage('rocket.jpg'), 'rocket.jpg', {});
  assert.equal((await client.get(`/files/${fileId}`)).body.primary_status, 'completed');
  await eventually(async () =>
    assert.ok(
      logOf('api').some(({ msg, level }) => level === 40 && String(msg).startsWith('spans are lost')),
    ),
  );
  await own.stack.kill('api', 'SIGTERM');
  await eventually(async () => assert.equal(own.stack.pid('api'), undefined));
  assert.equal(logOf('api').at(-1)?.msg, 'stopped');
  collector.hang(false);
  await own.stack.start('api');

  const { traceId, headers } = caller();
  await client.request('GET', '/files', { headers });
  await untilTraced(traceId, [['GET /api/v2/files', 'postgres select']]);
});
