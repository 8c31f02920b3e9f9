import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ImageImport } from '../../../db/entities/uploads/image-import.ts';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { originalPrefix } from '../../../domain/object-keys.ts';
import { requestImageImport } from '../../../services/image-imports/request-image-import.ts';
import { createEngine } from '../../../temporal/client.ts';
import { temporalConfig } from '../../../temporal/config.ts';
import { eventually } from '../../support/api.ts';
import { replies } from '../../support/model-server.ts';
import { demoImage, uniqueImage } from '../../support/images.ts';
import { NO_DUPLICATES, storedFacts } from '../../support/stored-facts.ts';
import { pages, startWebSite } from '../../support/web-site.ts';
import { own } from './stack.ts';
import { IMAGE_IMPORT_WORKFLOWS } from '../../../temporal/contract/import-image.ts';

/** Images fetched from their URLs, and analyses by a model, while workers are killed and runs ended. */
const { stack, orm, engine, objects, model } = own;
const { client, tenantId } = await own.newTenant();
const site = await startWebSite('127.0.0.1');
after(() => site.stop());

const jobEnded = (id: string) =>
  eventually(async () => {
    const { status, body } = await client.get(`/job/${id}`);
    assert.equal(status, 200, JSON.stringify(body));
    assert.notEqual(body.status, 'processing');
    return body;
  }, 60);

const facts = (fileId: string) => storedFacts(orm.em.fork(), fileId);

test('a worker killed during a fetch only costs time: the import makes one file with the promised id, paid once', async () => {
  const bytes = await uniqueImage();
  let asked = 0;
  site.serve('/killed.jpg', (response) => {
    asked += 1;
    if (asked === 1) response.writeHead(200).write(bytes.subarray(0, 100));
    else response.end(bytes);
  });
  const { body } = await client.post('/images/analyze/async', { url: site.url('/killed.jpg') });
  await eventually(async () => assert.equal(asked, 1));
  await stack.kill('worker');
  assert.equal((await client.get(`/job/${body.job_id}`)).body.status, 'processing');
  await stack.start('worker');
  const job = await jobEnded(body.job_id);
  assert.deepEqual([job.status, job.results?.[0].image_id], ['completed', body.job_id], JSON.stringify(job));
  await client.settled(body.job_id);
  assert.deepEqual(await facts(body.job_id), NO_DUPLICATES);
  const { objectKey } = await orm.em.fork().findOneOrFail(StoredFile, body.job_id);
  const stored = [];
  for await (const { key } of objects.list(originalPrefix({ tenantId }, body.job_id))) stored.push(key);
  assert.deepEqual(stored, [objectKey]);
  // The URL may contain a signature, so it is not kept.
  assert.equal((await orm.em.fork().findOneOrFail(ImageImport, body.job_id)).url, null);
});

test('a terminated import fails with the reason and is refunded, even with every worker dead', async () => {
  await stack.kill('worker');
  try {
    site.serve('/never.jpg', pages.of(await uniqueImage()));
    const { body: seen } = await client.post('/images/analyze/async', { url: site.url('/never.jpg') });
    const { body: unseen } = await client.post('/images/analyze/async', { url: site.url('/never.jpg') });
    for (const { job_id: id } of [seen, unseen]) {
      await engine.client.workflow.getHandle(IMAGE_IMPORT_WORKFLOWS.of(id)).terminate('an operator said so');
    }
    const job = await jobEnded(seen.job_id);
    assert.deepEqual(
      [job.status, job.error_message],
      ['failed', 'the workflow was terminated: an operator said so'],
    );
    // No request reads this import, so the reconciler must have written its status.
    await eventually(async () => {
      const { status } = await orm.em.fork().findOneOrFail(ImageImport, unseen.job_id);
      assert.equal(status, 'failed');
    });
    for (const { job_id: id } of [seen, unseen]) {
      assert.deepEqual((await facts(id)).credits, ['reserve 1', 'refund 1']);
    }
    assert.equal(site.requests.includes('/never.jpg'), false);
  } finally {
    await stack.start('worker');
  }
});

test('the sweep starts an import that could not be announced to the engine', async () => {
  const away = createEngine(temporalConfig.parse({ TEMPORAL_ADDRESS: '127.0.0.1:1' }));
  site.serve('/late.jpg', pages.of(await uniqueImage()));
  const em = orm.em.fork();
  const { id } = await requestImageImport(
    { em, engine: away },
    { tenantId, tier: 'enterprise', credential: { kind: 'api_key', keyId: 'abcdefgh', scopes: [] } },
    {
      url: site.url('/late.jpg'),
      contentCategory: 'general',
      options: { autoDescribe: true, skipDuplicates: false },
    },
  );
  await away.close();
  assert.equal((await jobEnded(id)).status, 'completed');
});

test('a cancelled import fails and is refunded', async () => {
  site.serve('/cancelled.jpg', pages.stalled((await uniqueImage()).subarray(0, 100)));
  const { body } = await client.post('/images/analyze/async', { url: site.url('/cancelled.jpg') });
  await eventually(async () => assert.ok(site.requests.includes('/cancelled.jpg')));
  await engine.client.workflow.getHandle(IMAGE_IMPORT_WORKFLOWS.of(body.job_id)).cancel();
  const job = await jobEnded(body.job_id);
  assert.deepEqual([job.status, job.error_message], ['failed', 'the work was cancelled']);
  assert.deepEqual((await facts(body.job_id)).credits, ['reserve 1', 'refund 1']);
});

test('a model chooses the category once, and the description follows it', async () => {
  const before = model.requests.length;
  model.next(
    replies.content(JSON.stringify({ category: 'artwork', confidence: 0.8 })),
    replies.rateLimited('1'),
    replies.ok({ description: 'A painting of a rocket.', tags: ['painting'], confidence: 0.7 }),
  );
  const form = new FormData();
  form.append('content_category', 'auto');
  form.append('timeout', '60');
  form.append('file', new Blob([Uint8Array.from(demoImage('rocket.jpg'))]), 'rocket.jpg');
  const { body } = await client.request('POST', '/images/analyze', { body: form });
  assert.deepEqual(
    [body.status, body.description, body.confidence_score],
    ['completed', 'A painting of a rocket.', 0.7],
    JSON.stringify(body),
  );
  const { body: file } = await client.get(`/files/${body.image_id}`);
  assert.equal(file.content_category, 'artwork');
  const asked = model.requests.slice(before).map(({ body: request }) => JSON.stringify(request));
  assert.deepEqual(
    asked.map((request) => request.includes('image_category')),
    [true, false, false],
  );
  assert.equal((await client.get(`/job/${body.image_id}`)).body.results[0].confidence_score, 0.7);
  await client.settled(body.image_id);
});

test('a refusal by the model fails the analysis with its reason', async () => {
  model.next(replies.content(null, { refusal: 'I cannot help with that.' }));
  const { body } = await client.post('/images/analyze', {
    base64: demoImage('coffee.jpg').toString('base64'),
  });
  assert.equal(body.status, 'failed', JSON.stringify(body));
  assert.match(body.error, /refus/i);
});
