import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { createClient, eventually, sharedRun, type Json } from '../support/api.ts';
import { IngestFolder, startIngest, type Ended } from '../support/ingest-command.ts';
import { uniqueImage } from '../support/images.ts';

const run = sharedRun();
const client = createClient(run);
const target = { api: run.api_url, key: run.api_key };
/** 50 files per request, so that a folder needs several. */
const starter = { api: run.api_url, key: run.tenants.starter.api_key };
const starterClient = createClient(run, starter.key);
const MIB = 1024 * 1024;

/** The files of a folder in the API's list. */
async function present(of: typeof client, { tag }: IngestFolder): Promise<Json[]> {
  const items: Json[] = [];
  for (;;) {
    const { body } = await of.get(`/files?tags=${tag}&limit=100&offset=${items.length}`);
    items.push(...body.items);
    if (!body.has_more) return items;
  }
}
const counted = async (of: typeof client, folder: IngestFolder) =>
  (await of.get(`/files?tags=${folder.tag}&limit=1`)).body.total_count as number;
const lastLine = ({ out }: Ended) => out.trimEnd().split('\n').at(-1) ?? '';
const names = (items: Json[]) => items.map(({ filename }) => filename).toSorted();

test('a folder is uploaded and processed, and failures are listed with their reasons', async () => {
  using folder = new IngestFolder();
  await folder.writeImages(20, 'holiday/day one');
  const twin = await uniqueImage();
  folder.write('one.jpg', twin);
  folder.write('the same.jpg', twin);
  folder.write('notes.zip', `PK\u0003\u0004${'x'.repeat(100)}`);
  folder.write('empty.png', '');
  folder.write('cut.jpg', (await uniqueImage()).subarray(0, 300));
  folder.write('large "one".jpg', Buffer.concat([await uniqueImage(), randomBytes(200_000)]));
  folder.write('.hidden.jpg', await uniqueImage());
  folder.write('.hidden/image.jpg', await uniqueImage());
  execFileSync('mkfifo', [join(folder.path, 'pipe')]);

  const first = await folder.start(target, '--direct-over', '100000').ended;
  assert.equal(first.code, 1, first.err);
  assert.match(lastLine(first), /^22 sent \(.+\), 1 already there, 2 rejected, 1 failed, in /);
  assert.match(first.out, /^1 skipped: FIFOs/m);
  assert.match(first.out, /^notes\.zip +upload +UNSUPPORTED_MEDIA +\S/m);
  assert.match(first.out, /^empty\.png +upload +EMPTY_FILE +\S/m);
  assert.match(first.out, /^cut\.jpg +variant +\w+ +\S/m);
  assert.match(first.err, /Processing +23\/23 files/);
  const items = await present(client, folder);
  const images = Array.from({ length: 20 }, (_, index) => `image-${String(index).padStart(3, '0')}.jpg`);
  assert.deepEqual(names(items), [...images, 'cut.jpg', 'large "one".jpg', 'one.jpg'].toSorted());
  assert.ok(items.every(({ primary_status: status }) => status === 'completed' || status === 'failed'));

  const second = await folder.start(target, '--direct-over', '100000').ended;
  assert.match(lastLine(second), /^0 sent \(0 B\), 24 already there, 2 rejected, 0 failed, in /);
  assert.equal((await present(client, folder)).length, 23);
});

for (const signal of ['SIGINT', 'SIGKILL'] as const) {
  test(`a run that is ended by ${signal} resumes with the same command, without duplicates`, async () => {
    using folder = new IngestFolder();
    await folder.writeImages(80);
    const first = folder.start(starter, '--concurrency', '1', '--no-describe');
    await eventually(async () => assert.ok((await counted(starterClient, folder)) >= 5, first.said.err));
    first.kill(signal);
    const ended = await first.ended;
    assert.equal(ended.code, signal === 'SIGINT' ? 130 : null);
    if (signal === 'SIGINT') assert.match(ended.out, /unfinished.*\nStopped\. Run the same command/);
    assert.ok((await counted(starterClient, folder)) < 80, 'it must have been stopped in the middle');

    const second = await folder.start(starter, '--no-describe').ended;
    assert.equal(second.code, 0, second.out + second.err);
    const [, sent, there] =
      /^(\d+) sent \(.+\), (\d+) already there, 0 rejected, 0 failed/.exec(lastLine(second)) ?? [];
    assert.equal(Number(sent) + Number(there), 80);
    assert.ok(Number(there) >= 5, lastLine(second));
    const items = await present(starterClient, folder);
    assert.equal(items.length, 80);
    assert.equal(new Set(names(items)).size, 80);
    // The second run does not wait for the files that the first one has sent.
    await eventually(async () => {
      const statuses = (await present(starterClient, folder)).map(({ primary_status: status }) => status);
      assert.deepEqual(new Set(statuses), new Set(['completed']));
    }, 60);
  });
}

test('a killed multipart upload resumes with the missing parts', async () => {
  using folder = new IngestFolder();
  folder.write('big.jpg', Buffer.concat([await uniqueImage(), randomBytes(90 * MIB)]));
  const confirmations: string[] = [];
  let most = 2;
  await using proxy = await startProxy(({ url = '' }) => {
    if (!url.endsWith('/parts/confirm')) return 'pass';
    if (confirmations.length === most) return 'busy';
    confirmations.push(url);
    return 'pass';
  });
  const through = { ...target, api: proxy.url };
  const first = folder.start(through);
  const { path, total, before } = await eventually(async () => {
    const [path] = confirmations;
    assert.ok(path, first.said.err);
    const upload = path.replace('/api/v2', '').replace('/parts/confirm', '');
    const { total_parts: total, parts_confirmed: before } = (await client.get(upload)).body;
    assert.equal(before, most, first.said.err);
    return { path, total, before };
  });
  assert.ok(before < total, `${before} of ${total} parts`);
  first.kill('SIGKILL');
  await first.ended;
  confirmations.length = 0;
  most = Infinity;
  const second = await folder.start(through).ended;
  assert.equal(second.code, 0, second.out + second.err);
  assert.deepEqual(new Set(confirmations), new Set([path]), 'it must be the same upload');
  assert.equal(confirmations.length, total - before);
  const [file, ...others] = await present(client, folder);
  assert.deepEqual([file.filename, others], ['big.jpg', []]);
  assert.equal((await client.settled(file.id)).primary_status, 'completed');
});

test('after a lost response, files that arrived are not sent again', async () => {
  using folder = new IngestFolder();
  await folder.writeImages(6);
  let batches = 0;
  await using proxy = await startProxy((request) => {
    if (!request.url?.endsWith('/upload/batch')) return 'pass';
    batches += 1;
    return batches === 1 ? 'lose' : 'pass';
  });
  const ended = await folder.start({ ...target, api: proxy.url }).ended;
  assert.equal(ended.code, 0, ended.out + ended.err);
  assert.match(lastLine(ended), /^6 sent/);
  assert.equal(batches, 1);
  const items = await present(client, folder);
  assert.deepEqual([items.length, items.every(({ primary_status: s }) => s === 'completed')], [6, true]);
});

test('a request to a busy API is retried after its Retry-After', async () => {
  using folder = new IngestFolder();
  await folder.writeImages(2);
  const seen = new Map<string, number>();
  await using proxy = await startProxy((request) => {
    const path = `${request.method} ${request.url?.split('?')[0]}`;
    seen.set(path, (seen.get(path) ?? 0) + 1);
    return seen.get(path) === 1 ? 'busy' : 'pass';
  });
  const ended = await folder.start({ ...target, api: proxy.url }).ended;
  assert.equal(ended.code, 0, ended.out + ended.err);
  assert.match(ended.err, /busy; trying again in \d+ s/);
  assert.equal(seen.get('POST /api/v2/files/upload/batch'), 2);
  assert.equal((await present(client, folder)).length, 2);
});

test('a command that cannot start prints the remedy in one line and exits with 2', async () => {
  using folder = new IngestFolder();
  const cases: [string[], Record<string, string>, RegExp][] = [
    [[], {}, /Which folder/],
    [[`${folder.path}/none`], {}, /Choose another folder/],
    [[folder.path], {}, /npm start/],
    [[folder.path], { DARKROOM_API: run.api_url }, /--key/],
    [
      [folder.path],
      { DARKROOM_API: run.api_url, DARKROOM_KEY: 'drk_unknown' },
      /does not accept the API key/,
    ],
    [[folder.path, '--key', 'k'], { DARKROOM_API: 'http://127.0.0.1:1/api/v2' }, /Is the API running/],
    [[folder.path, '--key', run.tenants.free.api_key, '--api', run.api_url], {}, /INSUFFICIENT_TIER/],
    [[folder.path, '--key', run.api_key, '--api', `${run.api_url}/docs`], {}, /refused/],
    [[folder.path, '--concurrency', 'many'], {}, /whole number/],
    [[folder.path, '--fast'], {}, /--help/],
  ];
  for (const [args, env, expected] of cases) {
    const { code, out, err } = await startIngest(args, { XDG_STATE_HOME: folder.path, ...env }).ended;
    assert.deepEqual([code, out], [2, ''], err);
    assert.match(err, expected);
    assert.equal(err.trimEnd().split('\n').length, 1, err);
  }
});

test('an empty folder is not an error, and the key can come from the environment', async () => {
  using folder = new IngestFolder();
  const env = { DARKROOM_API: new URL(run.api_url).origin, DARKROOM_KEY: run.api_key };
  const { code, out, err } = await startIngest([folder.path, '--state', folder.state], env).ended;
  assert.equal(code, 0, err);
  assert.match(out, /^0 sent/);
});

/** A proxy for the API: forwards a request, drops its response, or rejects it for a second. */
async function startProxy(decide: (request: http.IncomingMessage) => 'pass' | 'lose' | 'busy') {
  const server = http.createServer((request, response) => {
    const fate = decide(request);
    if (fate === 'busy') {
      request.resume();
      response.writeHead(429, { 'Retry-After': '1', 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ detail: 'busy', code: 'RATE_LIMITED', request_id: 'x' }));
      return;
    }
    const { hostname, port } = new URL(run.api_url);
    const { method, headers, url: path } = request;
    const onwards = http.request({ hostname, port, method, path, headers }, (answer) => {
      if (fate === 'lose') {
        answer.resume();
        answer.once('end', () => request.socket.destroy());
        return;
      }
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onwards.on('error', () => response.destroy());
    request.pipe(onwards);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/api/v2`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
