import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { DocumentPage } from '../../../db/entities/documents/document-page.ts';
import { PageImage } from '../../../db/entities/documents/page-image.ts';
import { FileVariant } from '../../../db/entities/files/file-variant.ts';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { ClaimedObject } from '../../../db/entities/uploads/claimed-object.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { createClient, sharedRun } from '../../support/api.ts';
import { minimalPdf } from '../../support/documents.ts';

const client = createClient(sharedRun());
const orm = createOrm(readConfig([databaseConfig], process.env));
after(() => orm.close(true));
const em = () => orm.em.fork();

async function ingest(): Promise<string> {
  const id = await client.ingest({
    bytes: minimalPdf(['The mill stands at the river.', 'Its wheel turns no more.']),
    filename: 'mill.pdf',
    fields: { auto_describe: 'false' },
  });
  await client.settled(id, 120);
  return id;
}

test('a page with other content than when it was drawn is drawn again, and the former picture is swept', async () => {
  const fileId = await ingest();
  const path = `/files/${fileId}/pages/1/image?width=320`;
  await client.follow(path);
  const [first] = await em().find(PageImage, { fileId });
  assert.ok(first?.objectKey);
  assert.equal(await em().count(ClaimedObject, { objectKey: first.objectKey }), 0);
  await em().nativeUpdate(DocumentPage, { fileId, pageNumber: 1 }, { contentHash: 'f'.repeat(64) });
  await client.follow(path);
  const pictures = await em().find(PageImage, { fileId });
  assert.equal(pictures.length, 1);
  assert.notEqual(pictures[0]?.objectKey, first.objectKey);
  assert.equal(await em().count(ClaimedObject, { objectKey: first.objectKey }), 1);
});

test('a page that could not be drawn says why, and is tried again some minutes later', async () => {
  const fileId = await ingest();
  const { objectKey } = await em().findOneOrFail(StoredFile, { id: fileId });
  await em().nativeUpdate(StoredFile, { id: fileId }, { objectKey: `${objectKey}-gone` });
  const path = `/files/${fileId}/pages/2/image`;
  const { status, body } = await client.get(path);
  assert.deepEqual(
    [status, body.code, body.detail],
    [422, 'PAGE_NOT_DRAWN', 'the original is gone from the object store'],
  );
  await em().nativeUpdate(StoredFile, { id: fileId }, { objectKey });
  assert.equal((await client.get(path)).status, 422);
  await em().nativeUpdate(PageImage, { fileId }, { drawnAt: new Date(Date.now() - 600_000) });
  await client.follow(path);
});

test('a document from before previews has pictures at once, and a preview on request', async () => {
  const fileId = await ingest();
  const { components } = await em().findOneOrFail(StoredFile, { id: fileId });
  const { preview: _preview, ...older } = components;
  await em().nativeUpdate(StoredFile, { id: fileId }, { components: older });
  await em().nativeDelete(FileVariant, { fileId });
  // By its short id, since a test compares answers by the long one with the history, of which this file has less.
  const { body: before } = await client.get(`/files/${fileId.slice(0, 8)}`);
  assert.deepEqual(
    [before.primary_status, before.preview_status, before.thumbnail_url],
    ['completed', 'skipped', null],
  );
  await client.follow(`/files/${fileId}/pages/1/image?width=320`);
  assert.equal((await client.post(`/files/${fileId}/retry`, {})).status, 409);
  assert.equal((await client.post(`/files/${fileId}/retry`, { components: ['preview'] })).status, 202);
  const file = await client.settled(fileId, 120);
  assert.deepEqual([file.primary_status, file.preview_status], ['completed', 'completed']);
  assert.match(file.thumbnail_url, /^http/);
});
