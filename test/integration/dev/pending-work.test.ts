import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describePendingWork } from '../../../lab/chaos/pending-work.ts';
import { createHttp } from '../../../lab/shared/http.ts';
import { createClient, sharedRun } from '../../support/api.ts';
import { uniqueImage } from '../../support/images.ts';

const CLOSED = '127.0.0.1:9';
const { signal } = new AbortController();
const run = sharedRun();
const client = createClient(run);
const http = createHttp({ apiUrl: run.api_url, apiKey: run.api_key, signal });

/** The lines of each side, while a request waits for its answer. */
async function pendingWork(env: NodeJS.ProcessEnv, fileId: string) {
  const lines = await describePendingWork({
    client: http,
    viewer: http,
    origin: client.origin,
    files: [{ id: fileId, primaryStatus: 'processing' }],
    env: { ...process.env, ...env },
  });
  return (side: string) => lines.filter((line) => line.startsWith(side)).join('\n');
}

test('the pending work of client, API, engine and store is described', async () => {
  const fileId = await client.ingest({ bytes: await uniqueImage() });
  const asked = http.sendWithRetries('GET', `/files/${fileId}`);
  assert.match(http.waiting().join(), new RegExp(`^GET /files/${fileId} for \\d+ s`));
  const linesOf = await pendingWork({}, fileId);
  assert.match(linesOf('api'), /^api {5}readyz 200 /);
  assert.match(linesOf('api'), new RegExp(`file ${fileId} is \\w+: \\w`));
  for (const side of ['engine', 'store']) assert.doesNotMatch(linesOf(side), /no response/);
  await asked;
});

test('an unreachable engine is reported, together with the other sides', async () => {
  const linesOf = await pendingWork({ TEMPORAL_ADDRESS: CLOSED }, '00000000-0000-4000-8000-000000000000');
  assert.match(linesOf('engine'), /no response/);
  assert.doesNotMatch(linesOf('store'), /no response/);
});
