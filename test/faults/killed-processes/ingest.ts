import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { eventually, type Json } from '../../support/api.ts';
import { IngestFolder } from '../../support/ingest-command.ts';
import { uniqueImage } from '../../support/images.ts';
import { own } from './stack.ts';

/** The ingest command while the API is killed and restarted. */
const { stack } = own;
const { client, apiKey } = await own.newTenant();
const target = { api: stack.runInfo.api_url, key: apiKey };

test('every file is uploaded once when the API is killed and restarted during a run', async () => {
  using folder = new IngestFolder();
  await folder.writeImages(40);
  for (let index = 0; index < 4; index += 1) {
    folder.write(`large-${index}.jpg`, Buffer.concat([await uniqueImage(), randomBytes(300_000)]));
  }
  const run = folder.start(target, '--no-describe', '--direct-over', '200000');
  const count = async () => (await client.get(`/files?tags=${folder.tag}&limit=1`)).body.total_count;
  await eventually(async () => assert.ok((await count()) >= 3, run.said.err));
  await stack.kill('api');
  await eventually(async () => assert.match(run.said.err, /trying again in/));
  await stack.start('api');
  const { code, out, err } = await run.ended;
  assert.equal(code, 0, out + err);
  assert.match(out, /^44 sent \(.+\), 0 already there, 0 rejected, 0 failed, in /m);
  const { body } = await client.get(`/files?tags=${folder.tag}&limit=100`);
  assert.equal(body.total_count, 44);
  assert.equal(new Set(body.items.map(({ filename }: Json) => filename)).size, 44);
  assert.ok(body.items.every(({ primary_status: status }: Json) => status === 'completed'));
});

test('the command gives up after --patience when the API stays unreachable, and can be resumed later', async () => {
  using folder = new IngestFolder();
  await folder.writeImages(40);
  const run = folder.start(target, '--no-describe', '--patience', '3');
  const count = async () => (await client.get(`/files?tags=${folder.tag}&limit=1`)).body.total_count;
  await eventually(async () => assert.ok((await count()) >= 3, run.said.err));
  await stack.kill('api');
  const { code, out, err } = await run.ended;
  assert.equal(code, 1, out + err);
  assert.match(err, /Run the same command to continue/);
  await stack.start('api');
  const again = await folder.start(target, '--no-describe').ended;
  assert.equal(again.code, 0, again.out + again.err);
  assert.equal(await count(), 40);
});
