import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { LOCAL_TEXT_MODEL } from '../../../adapters/models/text-embedding/local-text-embedding.ts';
import { vectorConfig } from '../../../adapters/vector-index/config.ts';
import { createVectorIndex } from '../../../adapters/vector-index/create-vector-index.ts';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { DocumentPage } from '../../../db/entities/documents/document-page.ts';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { chunkCollection } from '../../../services/documents/index-chunks.ts';
import { createClient, eventually, sharedRun, type Json } from '../../support/api.ts';
import { minimalPdf } from '../../support/documents.ts';
import { showLines, writePdf } from '../../support/pdf-writer.ts';
import { imageOfText } from '../../support/images-of-text.ts';

const client = createClient(sharedRun());
const orm = createOrm(readConfig([databaseConfig], process.env));
const chunkVectors = createVectorIndex(
  readConfig([vectorConfig], process.env),
  chunkCollection(LOCAL_TEXT_MODEL),
);
after(async () => {
  await chunkVectors.close();
  await orm.close(true);
});

/** A page with text, and one that is only an image, 200 dpi. */
async function textAndScan(): Promise<Buffer> {
  const [width, height] = [1100, 850];
  const image = await imageOfText({ width, height }, [
    { text: 'Inventory of the harbour', x: 120, y: 140, size: 40 },
    { text: 'Seventeen anchors lie in the northern shed', x: 120, y: 260, size: 30 },
    { text: 'and nobody has counted the ropes since March.', x: 120, y: 310, size: 30 },
  ])
    .jpeg({ quality: 90 })
    .toBuffer();
  const page = (contents: number) =>
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 396 306] /Contents ${contents} 0 R
       /Resources << /Font << /F1 7 0 R >> /XObject << /Im 8 0 R >> >> >>`;
  const stream = (content: string) => ({ dictionary: '', bytes: Buffer.from(content) });
  return writePdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R 5 0 R] /Count 2 >>',
    page(4),
    stream(showLines(['The lighthouse was painted white in spring,', 'and its lamp turns twice a minute.'])),
    page(6),
    stream('q 396 0 0 306 0 0 cm /Im Do Q'),
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    {
      dictionary: `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode`,
      bytes: image,
    },
  ]);
}

test('rules divide no document of which pages are being read again', async () => {
  const id = await client.ingest({ bytes: minimalPdf(['Page 1 of 1', 'Page 1 of 1']), filename: 'post.pdf' });
  await client.settled(id, 120);
  // As between the inspection of a new run and its pages.
  await orm.em.fork().nativeDelete(DocumentPage, { fileId: id, pageNumber: 2 });
  const { body: begun } = await client.post(`/files/${id}/splits`, {});
  const split = await eventually(async () => {
    const { body } = await client.get(`/splits/${begun.split_id}`);
    assert.notEqual(body.status, 'processing');
    return body;
  }, 60);
  assert.deepEqual([split.status, split.parts], ['failed', null]);
  assert.match(split.error_message, /is being read again/);
});

test('a scanned page is recognised, and a retry of one page replaces the vectors of the changed chunks only', async () => {
  const id = await client.ingest({ bytes: await textAndScan(), filename: 'harbour.pdf' });
  const file = await client.settled(id, 120);
  assert.equal(file.primary_status, 'completed', JSON.stringify(file));
  const pages = async (): Promise<Json[]> => (await client.get(`/files/${id}/digitization`)).body.pages;
  const [text, scan] = await pages();
  assert.deepEqual([text.source, scan.source], ['text_layer', 'ocr']);
  const words = scan.elements.map(({ content }: Json) => content).join(' ');
  assert.match(words, /Inventory of the harbour.*Seventeen anchors lie in the northern shed/s);
  for (const { bounding_box: box } of scan.elements) {
    assert.ok(
      box.x > 0.05 && box.y > 0.05 && box.x + box.w < 0.95 && box.y + box.h < 0.5,
      JSON.stringify(box),
    );
  }
  const { body: status } = await client.get(`/files/${id}/digitization/status`);
  assert.deepEqual(status.page_statuses, { 1: 'completed', 2: 'completed' });

  const { tenantId } = await orm.em.fork().findOneOrFail(StoredFile, { id });
  const attempts = async () => {
    const rows = await orm.em.fork().find(DocumentPage, { fileId: id }, { orderBy: { pageNumber: 'asc' } });
    return rows.map((row) => row.attempts);
  };
  const chunkIds = async (): Promise<string[]> =>
    (await client.get(`/files/${id}/chunks`)).body.chunks.map((chunk: Json) => chunk.chunk_id);
  const retry = async (body: Json) => {
    assert.equal((await client.post(`/files/${id}/retry`, body)).status, 202);
    assert.equal((await client.settled(id, 120)).primary_status, 'completed');
  };
  const right = await chunkIds();
  const [first, second] = await attempts();
  // The first page as an older version could have read it.
  const misread = text.elements.map((element: Json) => ({
    type: element.type,
    content: 'The lighthouse was painted in red.',
    box: element.bounding_box,
    metadata: {},
  }));
  await orm.em
    .fork()
    .nativeUpdate(
      DocumentPage,
      { fileId: id, pageNumber: 1 },
      { elements: misread, contentHash: '0'.repeat(64) },
    );
  await retry({ components: ['digitization'] });
  const wrong = await chunkIds();
  assert.notDeepEqual(wrong, right);

  await retry({ pages: [1] });
  assert.deepEqual(await pages(), [text, scan]);
  assert.deepEqual(await attempts(), [Number(first) + 1, second]);
  assert.deepEqual(await chunkIds(), right);
  assert.equal(await chunkVectors.count({ tenantId, fileIds: [id] }), right.length);
  const gone = wrong.filter((chunk) => !right.includes(chunk));
  assert.equal((await chunkVectors.findMany({ tenantId, ids: gone })).size, 0);

  await retry({ pages: [2] });
  assert.deepEqual(await pages(), [text, scan]);
  assert.deepEqual(await attempts(), [Number(first) + 1, Number(second) + 1]);
  const { body: found } = await client.post('/files/search', {
    query: 'How many anchors are in the shed?',
    document_ids: [id],
  });
  assert.match(found.items[0].content, /Seventeen anchors/);
});
