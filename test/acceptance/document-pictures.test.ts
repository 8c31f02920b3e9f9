import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import sharp from 'sharp';
import { createClient, sharedRun, type Json } from '../support/api.ts';
import { encryptedPdf, onePage, showLines, writePdf } from '../support/pdf-writer.ts';
import { manual, minimalPdf, wordDocument } from '../support/documents.ts';
import { writeXlsx } from '../support/office-files.ts';
import { docxEntries, writeZip } from '../support/zip-writer.ts';

const run = sharedRun();
const client = createClient(run);
const stranger = createClient({ ...run, api_key: run.tenants.starter.api_key });

const ingest = async (bytes: Uint8Array, filename: string): Promise<Json> =>
  client.settled(await client.ingest({ bytes, filename, fields: { auto_describe: 'false' } }), 120);

/** How much of a picture is not white. */
async function inkOf(bytes: Buffer): Promise<number> {
  const { data } = await sharp(bytes).greyscale().raw().toBuffer({ resolveWithObject: true });
  return data.reduce((dark, grey) => dark + (grey < 160 ? 1 : 0), 0) / data.length;
}

const hue = async (bytes: Buffer): Promise<number[]> =>
  (await sharp(bytes).stats()).channels.map(({ mean }) => Math.round(mean));

const plain = (background: string, width = 400, height = 600) =>
  sharp({ create: { width, height, channels: 3, background } }).composite([
    { input: Buffer.alloc(100 * 100 * 3), raw: { width: 100, height: 100, channels: 3 } },
  ]);

test('the first page of every kind of document becomes variants, like those of images', async () => {
  const red = writePdf(onePage('0.9 0.1 0.1 rg 0 0 400 300 re f'));
  const sheet = (text: string) =>
    sharp({ create: { width: 900, height: 1200, channels: 3, background: '#fff' } })
      .composite([
        {
          input: Buffer.from(
            `<svg width="900" height="300"><text x="60" y="160" font-size="90">${text}</text></svg>`,
          ),
        },
      ])
      .png()
      .toBuffer();
  const scan = await sharp([await sheet('INVOICE 42'), await sheet('TOTAL 7')], { join: { animated: true } })
    .tiff({ xres: 8, yres: 8 })
    .toBuffer();
  const documents: [string, Uint8Array, (width: number, height: number) => boolean][] = [
    ['red.pdf', red, (width, height) => width === 1024 && height === 768],
    ['scan.tiff', scan, (width, height) => width === 768 && height === 1024],
    ['garden.docx', await wordDocument('Garden', 'The tulips bloom in April.'), (width) => width === 724],
    ['manual.md', manual, (width, height) => width === 724 && height === 1024],
    ['notes.txt', Buffer.from('A walk by the sea.\n\nIt rained all day.'), (width) => width === 724],
    ['page.html', Buffer.from('<!doctype html><h1>Tides</h1><p>High at noon.</p>'), (width) => width === 724],
    [
      'table.xlsx',
      writeXlsx([{ name: 'Sales', rows: '<row r="1"><c t="inlineStr"><is><t>Amount</t></is></c></row>' }]),
      (width) => width === 724,
    ],
  ];
  for (const [filename, bytes, isLarge] of documents) {
    const file = await ingest(bytes, filename);
    assert.deepEqual(
      [file.preview_status, file.preview_error],
      ['completed', null],
      `${filename}: ${JSON.stringify(file)}`,
    );
    assert.equal(file.variant_count, 4, filename);
    assert.ok(file.blur_hash.length > 5, filename);
    for (const type of ['tiny_64', 'small_256', 'medium_750', 'large_1024']) {
      const picture = await client.follow(`/files/${file.id}/variant/${type}`);
      const { width, height } = await sharp(picture.bytes).metadata();
      assert.equal(Math.max(width, height), Number(type.split('_')[1]), `${filename} ${type}`);
      if (type === 'large_1024') {
        assert.ok(isLarge(width, height), `${filename}: ${width} × ${height}`);
        assert.ok((await inkOf(picture.bytes)) > 0.0005, `${filename} is empty`);
      }
    }
    const { body: list } = await client.get('/files?limit=50');
    const item = list.items.find(({ id }: Json) => id === file.id);
    assert.match(item.thumbnail_url, /^http/, filename);
  }
});

test('a document that brings a picture of its first page along shows it, unless it shows nothing', async () => {
  const green = await plain('#0a0').png().toBuffer();
  const epub = writeZip([
    { name: 'mimetype', content: 'application/epub+zip' },
    {
      name: 'META-INF/container.xml',
      content: '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>',
    },
    {
      name: 'OPS/book.opf',
      content:
        '<package><metadata/><manifest><item id="c" href="one.xhtml"/><item id="p" href="art/front%20page.png" media-type="image/png" properties="cover-image"/></manifest><spine><itemref idref="c"/></spine></package>',
    },
    { name: 'OPS/one.xhtml', content: '<html><body><h1>One</h1><p>Text.</p></body></html>' },
    { name: 'OPS/art/front page.png', content: green },
  ]);
  const book = await ingest(epub, 'book.epub');
  assert.equal(book.preview_status, 'completed', JSON.stringify(book));
  const [, shade = 0] = await hue((await client.follow(`/files/${book.id}/variant/small_256`)).bytes);
  assert.ok(shade > 140, `green is ${shade}`);

  const office = (thumbnail: Buffer) =>
    writeZip(docxEntries('Words of the letter', [{ name: 'docProps/thumbnail.jpeg', content: thumbnail }]));
  const shown = await ingest(office(await plain('#00a').jpeg().toBuffer()), 'letter.docx');
  const [, , blue = 0] = await hue((await client.follow(`/files/${shown.id}/variant/small_256`)).bytes);
  assert.ok(blue > 140, `blue is ${blue}`);
  for (const nothing of [
    await sharp({ create: { width: 400, height: 600, channels: 3, background: '#fff' } })
      .jpeg()
      .toBuffer(),
    await plain('#00a', 100, 120).jpeg().toBuffer(),
    Buffer.from('not a picture'),
  ]) {
    const file = await ingest(office(nothing), 'letter.docx');
    assert.equal(file.preview_status, 'completed');
    const { bytes } = await client.follow(`/files/${file.id}/variant/large_1024`);
    const { width } = await sharp(bytes).metadata();
    assert.equal(width, 724, 'the page is set from its text');
  }
});

test('a page of a document is a picture, drawn once in the next of a few widths', async () => {
  const file = await ingest(minimalPdf(['The first page.', 'The second page.']), 'two.pdf');
  const path = `/files/${file.id}/pages/2/image`;
  const first = await client.follow(`${path}?width=500`);
  assert.match(first.headers.get('content-type') ?? '', /^image\/jpeg/);
  const { width } = await sharp(first.bytes).metadata();
  assert.equal(width, 640);
  assert.ok((await inkOf(first.bytes)) > 0.0005);
  const keyOf = async (query: string) =>
    new URL((await client.get(`${path}${query}`)).headers.get('location') ?? '').pathname;
  const keys = new Set([await keyOf('?width=500'), await keyOf('?width=640'), await keyOf('?width=321')]);
  assert.equal(keys.size, 1, [...keys].join(' '));
  assert.equal((await sharp((await client.follow(path)).bytes).metadata()).width, 960);

  // Ten readers of one page get one picture.
  const together = await Promise.all(Array.from({ length: 10 }, () => keyOf('?width=320')));
  assert.equal(new Set(together).size, 1);

  const text = await ingest(manual, 'manual.md');
  const set = await client.follow(`/files/${text.id}/pages/1/image?width=320`);
  assert.equal((await sharp(set.bytes).metadata()).width, 320);
});

test('a page that does not exist, or is of someone else, has no picture', async () => {
  const file = await ingest(minimalPdf(['A single page.']), 'one.pdf');
  const image = async (page: string, id: string = file.id, as = client) => {
    const { status, body } = await as.get(`/files/${id}/pages/${page}/image`);
    return [status, body?.code];
  };
  for (const page of ['2', '0', '-1', 'x', '99999999999999999999', '1e3'])
    assert.deepEqual(await image(page), [404, 'NOT_FOUND'], page);
  assert.deepEqual(await image('1', randomUUID()), [404, 'NOT_FOUND']);
  assert.deepEqual(await image('1', file.id, stranger), [404, 'NOT_FOUND']);
  for (const width of ['0', '1921', 'wide', '-5', '1.5'])
    assert.equal((await client.get(`/files/${file.id}/pages/1/image?width=${width}`)).status, 422, width);
  await client.follow(`/files/${file.id}/pages/1/image`);
  await client.delete(`/files/${file.id}`);
  assert.deepEqual(await image('1'), [404, 'NOT_FOUND']);
  const picture = await client.ingest({ bytes: await plain('#123').png().toBuffer(), filename: 'a.png' });
  assert.deepEqual(await image('1', picture), [400, 'WRONG_MEDIA_TYPE']);
});

test('a broken document has no preview, and one whose page cannot be drawn says so', async () => {
  const broken = await ingest(encryptedPdf(showLines(['secret']), 'nobody'), 'secret.pdf');
  assert.deepEqual([broken.primary_status, broken.preview_status], ['failed', 'skipped']);
  assert.equal((await client.get(`/files/${broken.id}/pages/1/image`)).status, 404);
  const { status, body } = await client.get(`/files/${broken.id}/variant/small_256`);
  assert.deepEqual([status, body.code], [404, 'VARIANT_NOT_READY']);
});

test('pages of odd sizes are drawn within the bounds', async () => {
  for (const box of ['[0 0 1 14400]', '[0 0 1000000 1000000]']) {
    const [catalogue, pages, page, ...rest] = onePage(showLines(['Odd']));
    assert.ok(typeof page === 'string');
    const odd = page.replace('[0 0 400 300]', box);
    const file = await ingest(writePdf([catalogue, pages, odd, ...rest] as never), 'odd.pdf');
    const answer = await client.get(`/files/${file.id}/pages/1/image?width=1920`);
    assert.ok([302, 404, 422].includes(answer.status), `${box}: ${JSON.stringify(answer.body)}`);
    if (answer.status !== 302) continue;
    const { width, height } = await sharp(
      (await client.follow(`/files/${file.id}/pages/1/image?width=1920`)).bytes,
    ).metadata();
    assert.ok(width <= 1920 && height <= 3 * 1920, `${box}: ${width} × ${height}`);
  }
});

test('a preview is made again on request, and costs nothing', async () => {
  const file = await ingest(manual, 'manual.md');
  const { body: before } = await client.get('/usage/summary');
  const { status, body } = await client.post(`/files/${file.id}/retry`, { components: ['preview'] });
  assert.deepEqual([status, body.retried], [202, ['preview']]);
  const again = await client.settled(file.id, 120);
  assert.deepEqual([again.preview_status, again.text_extraction_status], ['completed', 'completed']);
  assert.deepEqual((await client.get('/usage/summary')).body?.credits_used, before?.credits_used);
});
