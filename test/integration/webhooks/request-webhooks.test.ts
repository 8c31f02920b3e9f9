import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm, type Orm } from '../../../db/create-orm.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { newSecret } from '../../../services/webhooks/secrets.ts';
import { eventually, sharedRun, type Answer, type Client, type Json } from '../../support/api.ts';
import { manual } from '../../support/documents.ts';
import { images, paddedImage, uniqueImage } from '../../support/images.ts';
import { receiptImage } from '../../support/invoices.ts';
import { createOwnTenant } from '../../support/own-tenant.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts';

/** A `webhook_url` gets the signed events of the resource that its request creates, and no others. */
const run = sharedRun();
let orm: Orm;
let client: Client;
let receiver: WebhookReceiver;
before(async () => {
  orm = createOrm(readConfig([databaseConfig], process.env));
  ({ client } = await createOwnTenant(orm, run));
  receiver = await startWebhookReceiver();
});
after(async () => {
  await receiver?.stop();
  await orm.close(true);
});

const SCHEMA = { type: 'object', properties: { total: { type: 'number' } } };
const QUICK = { auto_describe: 'false' };
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** The types of the events whose data has this id, verified with the secret of the response. */
async function delivered({ status, body }: Answer, id: string, types: string[]): Promise<Json[]> {
  assert.ok(status < 300, JSON.stringify(body));
  assert.match(body.webhook_secret, /^whsec_/);
  const own = () => receiver.events.filter(({ data }) => Object.values(data).includes(id));
  await eventually(async () =>
    assert.deepEqual(new Set(own().map(({ type }) => type)), new Set(types), JSON.stringify(body)),
  );
  return own().map((event) => receiver.verify(event, body.webhook_secret));
}

function form(fields: Record<string, string>, bytes: Buffer<ArrayBuffer>, filename: string): RequestInit {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  body.append('file', new Blob([bytes]), filename);
  return { body };
}

test('an upload, signed with the secret of the request', async () => {
  const webhook_secret = newSecret();
  const fields = { ...QUICK, webhook_url: receiver.url, webhook_secret };
  const answer = await client.upload({ bytes: await uniqueImage(), fields });
  assert.equal(answer.body.webhook_secret, webhook_secret);
  const { file_id: id } = answer.body;
  const [first] = await delivered(answer, id, ['file.created', 'file.completed']);
  assert.deepEqual(
    [first.type, first.data.file_id, new URL(first.data.links.file).pathname],
    ['file.created', id, `/api/v2/files/${id}`],
  );
});

test('a batch of files: its own events, not those of its files', async () => {
  const before = receiver.events.length;
  const answer = await client.batch(await images(2), { ...QUICK, webhook_url: receiver.url });
  await delivered(answer, answer.body.session_id, ['batch.started', 'batch.completed']);
  assert.equal(receiver.events.length - before, 2);
});

test('a direct upload, and the file that it becomes', async () => {
  const bytes = await paddedImage();
  const created = await client.post('/files/direct-uploads', {
    filename: 'a.png',
    content_type: 'image/png',
    size_bytes: bytes.length,
    claimed_file_hash: sha256(bytes),
    auto_describe: false,
    webhook_url: receiver.url,
  });
  const { upload_id: id, presigned_url: url, headers } = created.body;
  assert.equal((await fetch(url, { method: 'PUT', headers, body: bytes })).status, 200);
  const { body } = await client.post(`/files/direct-uploads/${id}/complete`, {});
  await delivered(created, body.file_id, ['upload.completed', 'file.created', 'file.completed']);
});

test('analyses of images and documents, also of an image behind a URL that cannot be fetched', async () => {
  const fields = { webhook_url: receiver.url };
  const image = await client.request(
    'POST',
    '/images/analyze/async',
    form(fields, await uniqueImage(), 'a.jpg'),
  );
  await delivered(image, image.body.job_id, ['file.created', 'file.completed']);
  const text = Buffer.from(`${manual.toString()}\n${randomUUID()}`);
  const document = await client.request('POST', '/files/analyze/async', form(fields, text, 'manual.md'));
  await delivered(document, document.body.job_id, ['file.created', 'file.completed']);
  const url = `${receiver.url.replace('http:', 'https:')}/none.jpg`;
  const fetched = await client.post('/images/analyze/async', { url, webhook_url: receiver.url });
  await delivered(fetched, fetched.body.job_id, ['upload.failed']);
});

test('an extraction, and a repeat of its request with the same response', async () => {
  const image_base64 = (await receiptImage()).toString('base64');
  const body = JSON.stringify({ image_base64, schema: SCHEMA, webhook_url: receiver.url });
  const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() };
  const answer = await client.request('POST', '/extract', { body, headers });
  await delivered(answer, answer.body.extraction_id, ['extraction.completed']);
  const again = await client.request('POST', '/extract', { body, headers });
  assert.equal(again.headers.get('idempotency-replayed'), 'true');
  assert.deepEqual(again.body, answer.body);
});

test('exports of files and of the history', async () => {
  const webhook = { format: 'csv', webhook_url: receiver.url };
  const files = await client.post('/files/export', { ...webhook, columns: [{ field_key: 'id' }] });
  await delivered(files, files.body.export_id, ['export.completed']);
  const history = await client.post('/data/export', webhook);
  await delivered(history, history.body.export_id, ['export.completed']);
});

test('a later retry sends no event to the webhook of the upload, and a skipped duplicate has no webhook', async () => {
  const bytes = await uniqueImage();
  const fields = { ...QUICK, skip_duplicates: 'true', webhook_url: receiver.url };
  const answer = await client.upload({ bytes, fields });
  const { file_id: id } = answer.body;
  await delivered(answer, id, ['file.created', 'file.completed']);
  const skipped = await client.upload({ bytes, fields });
  assert.deepEqual([skipped.body.status, skipped.body.webhook_secret], ['skipped', undefined]);
  assert.equal((await client.post(`/files/${id}/retry`, { components: ['variant'] })).status, 202);
  await client.settled(id);
  const [{ events }] = await orm.em
    .fork()
    .execute<[{ events: number }]>(
      `select count(*)::int as events from webhook_events where data->>'file_id' = ?`,
      [id],
    );
  assert.equal(events, 2);
});

test('a forbidden URL or an invalid secret is refused before anything is stored', async () => {
  const refused = async (fields: Record<string, string>, pointer: string) => {
    const upload = await client.upload({ bytes: await uniqueImage(), fields });
    const extraction = await client.post('/extract', { image_base64: 'AA', schema: SCHEMA, ...fields });
    for (const [answer, part] of [
      [upload, 'form'],
      [extraction, 'body'],
    ] as const) {
      const pointers = answer.body.errors?.map((error: Json) => error.pointer);
      assert.deepEqual(
        [answer.status, pointers],
        [422, [`/${part}/${pointer}`]],
        JSON.stringify(answer.body),
      );
    }
  };
  for (const url of [
    'http://10.0.0.1/',
    'https://[::1]/',
    'ftp://example.org/',
    'https://a:b@example.org/',
    'here',
  ])
    await refused({ webhook_url: url }, 'webhook_url');
  await refused({ webhook_url: receiver.url, webhook_secret: 'whsec_short' }, 'webhook_secret');
});
