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
async function pendingWork(env: NodeJS.ProcessEnv) {
  const lines = await describePendingWork({
    clients: [http],
    viewer: http,
    origin: client.origin,
    env: { ...process.env, ...env },
    pids: { own: process.pid, none: 2 ** 22 },
    others: { faults: ['next: kill worker'] },
  });
  return (side: string) => lines.filter((line) => line.startsWith(side)).join('\n');
}

test('the pending work of client, API, engine, database and store is described', async () => {
  const fileId = await client.ingest({ bytes: await uniqueImage() });
  const asked = http.sendWithRetries('GET', `/files/${fileId}`);
  assert.match(http.waiting().join(), new RegExp(`^GET /files/${fileId} for \\d+ s`));
  const linesOf = await pendingWork({});
  assert.match(linesOf('client'), new RegExp(`GET /files/${fileId} for \\d+ s, last step: `));
  assert.match(linesOf('faults'), /kill worker/);
  assert.match(linesOf('api'), /^api {6}readyz 200 /);
  assert.match(linesOf('store'), /answered within \d+ ms/);
  assert.match(linesOf('process'), /own \d+ is running\n.*none \d+ is gone/);
  for (const side of ['api', 'engine', 'database']) assert.doesNotMatch(linesOf(side), /no response/);
  await asked;
});

test('an unreachable engine is reported, together with the other sides', async () => {
  const linesOf = await pendingWork({ TEMPORAL_ADDRESS: CLOSED });
  assert.match(linesOf('engine'), /no response/);
  assert.doesNotMatch(linesOf('database'), /no response/);
});
