import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import sharp, { type TiffOptions } from 'sharp';
import { createClient, eventually, sharedRun, type Json } from '../support/api.ts';
import { minimalPdf, wordDocument } from '../support/documents.ts';
import { imageOfText } from '../support/images-of-text.ts';
import { uniqueImage } from '../support/images.ts';
import { writeZip } from '../support/zip-writer.ts';
import { writeOpenDocument } from '../support/open-documents.ts';
import { shape, writeEpub, writePptx, writeXlsx } from '../support/office-files.ts';

/** Documents through every upload route, also together with images. */
const client = createClient(sharedRun());
const PART = 5 * 1024 * 1024;
const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

const sentence = (word: string) => `The ${word} of the old mill was mended by the carpenter in the autumn.`;
const note = (word: string) => Buffer.from(sentence(word));
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const unique = (name: string) => `${name}${randomUUID().slice(0, 8)}`;

/** Asserts that the file is read and that a search finds its text. */
async function assertRead(id: string, type: string, word: string): Promise<Json> {
  const file = await client.settled(id, 120);
  assert.deepEqual(
    [file.primary_status, file.media_type, file.document_type],
    ['completed', 'document', type],
    JSON.stringify(file),
  );
  assert.match(file.extracted_text, new RegExp(word));
  const { body } = await client.post('/files/search', { query: word, document_ids: [id] });
  assert.equal(body.items[0]?.document_id, id);
  return file;
}

async function put(url: string, bytes: Uint8Array, headers: Record<string, string> = {}): Promise<string> {
  const response = await fetch(url, { method: 'PUT', headers, body: bytes as Uint8Array<ArrayBuffer> });
  assert.equal(response.status, 200, await response.text());
  return response.headers.get('etag') ?? '';
}

test('a batch of documents and images returns the medium of each file, and its session lists their results', async () => {
  const words = [unique('roof'), unique('wheel')];
  const pdf = minimalPdf([sentence(words[0] ?? '')]);
  const files = [
    { bytes: pdf, filename: 'roof.pdf' },
    { bytes: await uniqueImage(), filename: 'mill.jpg' },
    { bytes: await wordDocument('Wheel', sentence(words[1] ?? '')), filename: 'wheel.docx' },
    { bytes: Buffer.from('%PDF-1.7 nothing else'), filename: 'broken.pdf' },
    { bytes: Buffer.from('<html>'), filename: 'page.md' },
  ];
  const { status, body } = await client.batch(files, { tags: 'mill' });
  assert.equal(status, 201);
  assert.deepEqual(
    body.immediate_results.map((one: Json) => [
      one.media_type,
      one.document_type,
      one.text_extraction_status,
    ]),
    [
      ['document', 'pdf', 'pending'],
      ['image', null, null],
      ['document', 'docx', 'pending'],
      ['document', 'pdf', 'pending'],
      [null, null, null],
    ],
  );
  const session = await client.sessionEnded(body.session_id, 120);
  assert.deepEqual(
    [session.total_files, session.completed_files, session.failed_files],
    [5, 3, 2],
    JSON.stringify(session),
  );
  const results = (await client.get(`/files/sessions/${body.session_id}/results`)).body;
  const listed = JSON.stringify(results);
  for (const { file_id: id } of body.immediate_results) if (id) assert.ok(listed.includes(id), listed);
  const [roof, , wheel] = body.immediate_results;
  const file = await assertRead(roof.file_id, 'pdf', words[0] ?? '');
  assert.ok(file.tags.includes('mill'));
  await assertRead(wheel.file_id, 'docx', words[1] ?? '');

  const again = await client.batch([{ bytes: pdf, filename: 'again.pdf' }], { skip_duplicates: 'true' });
  const [skipped] = again.body.immediate_results;
  assert.deepEqual([skipped.status, skipped.existing_file_id], ['skipped', roof.file_id]);
});

async function direct(bytes: Uint8Array, fields: Json): Promise<Json> {
  const { status, body } = await client.post('/files/direct-uploads', {
    size_bytes: bytes.length,
    claimed_file_hash: sha256(bytes),
    ...fields,
  });
  assert.equal(status, 201, JSON.stringify(body));
  return body;
}

test('documents are uploaded directly, in one part and in several', async () => {
  const word = unique('stone');
  const bytes = minimalPdf([sentence(word)]);
  const single = await direct(bytes, { filename: 'stone.pdf', content_type: 'application/pdf' });
  await put(single.presigned_url, bytes, single.headers);
  const completed = await client.post(`/files/direct-uploads/${single.upload_id}/complete`, {});
  assert.deepEqual(
    [completed.status, completed.body.media_type],
    [202, 'document'],
    JSON.stringify(completed),
  );
  await assertRead(completed.body.file_id, 'pdf', word);

  const other = unique('sack');
  const large = Buffer.concat([minimalPdf([sentence(other)]), Buffer.alloc(PART, '\n%')]);
  const parts = await direct(large, {
    filename: 'sack.pdf',
    content_type: 'application/pdf',
    upload_mode: 'multipart',
    part_size_bytes: PART,
  });
  for (const { part_number: number, url } of parts.part_urls) {
    const part = large.subarray((number - 1) * PART, number * PART);
    const etag = await put(url, part);
    await client.post(`/files/direct-uploads/${parts.upload_id}/parts/confirm`, {
      part_number: number,
      etag,
      size_bytes: part.length,
    });
  }
  const { body } = await client.post(`/files/direct-uploads/${parts.upload_id}/complete`, {});
  await assertRead(body.file_id, 'pdf', other);

  const html = Buffer.from('<!doctype html><p>Hello</p>');
  const wrong = await direct(html, { filename: 'page.md', content_type: 'text/markdown' });
  await put(wrong.presigned_url, html, wrong.headers);
  await client.post(`/files/direct-uploads/${wrong.upload_id}/complete`, {});
  await eventually(async () => {
    const upload = (await client.get(`/files/direct-uploads/${wrong.upload_id}`)).body;
    assert.equal(upload.status, 'FAILED', JSON.stringify(upload));
  });
});

test('documents of other programs are read, by their bytes or their name', async () => {
  const files: [filename: string, type: string, bytes: (sentence: string) => Buffer][] = [
    ['a.html', 'html', (text) => Buffer.from(`<!doctype html><p>${text}`)],
    ['a.csv', 'csv', (text) => Buffer.from(`what;who\n${text};1\n`)],
    [
      'a.xlsx',
      'xlsx',
      (text) => writeXlsx([{ name: 'A', rows: `<row><c t="str"><v>${text}</v></c></row>` }]),
    ],
    ['a.pptx', 'pptx', (text) => writePptx([{ shapes: shape(text) }])],
    ['a.odt', 'odt', (text) => writeOpenDocument('text', `<text:p>${text}</text:p>`)],
    [
      'a.ods',
      'ods',
      (text) =>
        writeOpenDocument(
          'spreadsheet',
          `<table:table><table:table-row><table:table-cell><text:p>${text}</text:p></table:table-cell></table:table-row></table:table>`,
        ),
    ],
    [
      'a.odp',
      'odp',
      (text) =>
        writeOpenDocument(
          'presentation',
          `<draw:page><draw:frame><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame></draw:page>`,
        ),
    ],
    ['a.rtf', 'rtf', (text) => Buffer.from(`{\\rtf1\\ansi ${text}\\par}`)],
    ['a.epub', 'epub', (text) => writeEpub({ 'a.xhtml': `<p>${text}</p>` })],
  ];
  await Promise.all(
    files.map(async ([filename, type, bytes]) => {
      const word = unique(type);
      const { status, body } = await client.upload({ bytes: bytes(sentence(word)), filename });
      assert.deepEqual(
        [status, body.media_type, body.document_type],
        [201, 'document', type],
        JSON.stringify(body),
      );
      await assertRead(body.file_id, type, word);
    }),
  );
});

test('a TIFF of several pages is a scan that is read, and one of a single page is an image', async () => {
  const words = ['cellar', 'attic'];
  const text = (word: string) => ({ text: sentence(word), x: 100, y: 200, size: 32 });
  const images = await Promise.all(
    words.map((word) =>
      imageOfText({ width: 1200, height: 600 }, [text(word)])
        .png()
        .toBuffer(),
    ),
  );
  const scan = (pages: Buffer[], options: TiffOptions) =>
    sharp(pages, { join: { animated: true } })
      .flatten()
      .toColourspace('b-w')
      .tiff({ xres: 8, yres: 8, ...options });
  const [fax, ...others] = [
    { compression: 'ccittfax4', bitdepth: 1 },
    { compression: 'lzw' },
    { compression: 'jpeg' },
    { compression: 'none', bigtiff: true },
  ] as const satisfies readonly TiffOptions[];
  const bytes = await scan(images, fax).toBuffer();
  const { body: whole } = await client.upload({ bytes, filename: 'fax.tiff' });
  const upload = await direct(bytes, { filename: 'fax.tiff', content_type: 'image/tiff', tags: ['direct'] });
  await put(upload.presigned_url, bytes, upload.headers);
  const { body: sent } = await client.post(`/files/direct-uploads/${upload.upload_id}/complete`, {});
  for (const { file_id: id } of [whole, sent]) {
    const file = await assertRead(id, 'tiff', 'cellar');
    assert.deepEqual([file.page_count, /attic/.test(file.extracted_text)], [2, true], file.extracted_text);
  }
  for (const options of others) {
    const { body } = await client.upload({
      bytes: await scan(images, options).toBuffer(),
      filename: 'scan.tif',
    });
    assert.equal((await client.settled(body.file_id, 120)).page_count, 2, options.compression);
  }
  const photo = await client.upload({
    bytes: await sharp(images[0]).tiff().toBuffer(),
    filename: 'photo.tif',
  });
  assert.equal(photo.body.media_type, 'image', JSON.stringify(photo.body));
  assert.equal((await client.settled(photo.body.file_id)).primary_status, 'completed');
});

test('a page of a Word document that is nothing but a picture is recognised', async () => {
  const text = { text: sentence('granary'), x: 100, y: 200, size: 32 };
  const picture = await imageOfText({ width: 1200, height: 600 }, [text]).png().toBuffer();
  const ns = 'http://schemas.openxmlformats.org';
  const rels = `${ns}/officeDocument/2006/relationships`;
  const bytes = writeZip([
    {
      name: 'word/document.xml',
      content: `<w:document xmlns:w="${ns}/wordprocessingml/2006/main" xmlns:a="${ns}/drawingml/2006/main" xmlns:pic="${ns}/drawingml/2006/picture" xmlns:r="${rels}"><w:body><w:p><w:r><w:drawing><pic:pic><pic:blipFill><a:blip r:embed="p1"/></pic:blipFill></pic:pic></w:drawing></w:r></w:p></w:body></w:document>`,
    },
    {
      name: 'word/_rels/document.xml.rels',
      content: `<Relationships xmlns="${ns}/package/2006/relationships"><Relationship Id="p1" Type="${rels}/image" Target="media/image1.png"/></Relationships>`,
    },
    { name: 'word/media/image1.png', content: picture },
  ]);
  const { body } = await client.upload({ bytes, filename: 'scan.docx' });
  await assertRead(body.file_id, 'docx', 'granary');
});

test('a text in a code page is read in its encoding, and the digitization says that it was guessed', async () => {
  // 品名,数量,単価 above ねじ,10,50, as programs in Japan write it.
  const bytes = Buffer.from('95698ebc2c909497ca2c925089bf0d0a82cb82b62c31302c35300d0a', 'hex');
  const { body } = await client.upload({ bytes, filename: 'parts.csv' });
  const file = await client.settled(body.file_id);
  assert.match(file.extracted_text, /ねじ \| 10 \| 50/);
  const { body: digitization } = await client.get(`/files/${body.file_id}/digitization`);
  assert.match(digitization.reading_note, /does not name its encoding; it was read as shift_jis/);
});

test('a text and a Word document are uploaded directly by their declared types', async () => {
  for (const [type, filename, content_type, bytes, word] of [
    ['txt', 'note.txt', 'text/plain', note('ladder'), 'ladder'],
    ['docx', 'note.docx', DOCX, await wordDocument('Beam', sentence('beam')), 'beam'],
  ] as const) {
    const upload = await direct(bytes, { filename, content_type });
    await put(upload.presigned_url, bytes, upload.headers);
    const { body } = await client.post(`/files/direct-uploads/${upload.upload_id}/complete`, {});
    await assertRead(body.file_id, type, word);
  }
});

test('a document is accepted by the legacy streaming route', async () => {
  const word = unique('flour');
  const form = new FormData();
  form.append('file', new Blob([note(word)]), 'flour.txt');
  const { status, body } = await client.request('POST', '/user-files/upload/stream', { body: form });
  assert.deepEqual(
    [status, body.media_type, body.document_type, body.text_extraction_status, body.variants_queued],
    [201, 'document', 'txt', 'pending', false],
    JSON.stringify(body),
  );
  await assertRead(body.image_id, 'txt', word);
});

test('documents of a legacy presigned batch are confirmed', async () => {
  const words = [unique('gear'), unique('rope')];
  const contents = [minimalPdf([sentence(words[0] ?? '')]), note(words[1] ?? '')];
  const files = [
    { filename: 'gear.pdf', content_type: 'application/pdf', size_bytes: contents[0]?.length },
    { filename: 'rope.txt', content_type: 'text/plain', size_bytes: contents[1]?.length },
  ];
  const prepared = await client.post('/uploads/batch-prepare', { files, intent: 'document_extraction' });
  assert.equal(prepared.status, 200, JSON.stringify(prepared.body));
  const { batch_id, presigned_urls: urls } = prepared.body;
  for (const { file_index: at, upload_url, upload_headers } of urls)
    await put(upload_url, contents[at] ?? Buffer.alloc(0), upload_headers);
  const confirmations = urls.map(({ object_key }: Json) => ({
    object_key,
    success: true,
    media_type: 'document',
  }));
  const { status, body } = await client.post('/uploads/batch-confirm', { batch_id, confirmations });
  assert.deepEqual([status, body.successful_uploads, body.failed_uploads], [200, 2, 0], JSON.stringify(body));
  const ids = urls
    .toSorted((a: Json, b: Json) => a.file_index - b.file_index)
    .map(({ image_id: id }: Json) => id as string);
  await assertRead(ids[0] ?? '', 'pdf', words[0] ?? '');
  await assertRead(ids[1] ?? '', 'txt', words[1] ?? '');
});
