import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient, sharedRun, type Json } from '../support/api.ts';
import { writePdf } from '../support/pdf-writer.ts';

const client = createClient(sharedRun());

const PAGE = { width: 595, height: 842 };
const SIZE = 12;

/** A line of a page, with the place of its baseline from the lower left corner, in points. */
interface Line {
  text: string;
  x: number;
  y: number;
}

/** Paragraphs of lines, from the top of a page. */
function layOut(paragraphs: readonly (readonly string[])[]): Line[] {
  let y = 780;
  return paragraphs.flatMap((lines) => {
    y -= 24;
    return lines.map((text) => ({ text, x: 72, y: (y -= 16) }));
  });
}

function pdfOf(pages: readonly (readonly Line[])[]): Buffer {
  const kids = pages.map((_, at) => `${4 + at * 2} 0 R`).join(' ');
  return writePdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...pages.flatMap((lines, at) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${PAGE.width} ${PAGE.height}] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + at * 2} 0 R >>`,
      {
        dictionary: '',
        bytes: Buffer.from(
          lines.map(({ text, x, y }) => `BT /F1 ${SIZE} Tf ${x} ${y} Td (${text}) Tj ET`).join('\n'),
          'latin1',
        ),
      },
    ]),
  ]);
}

const ENTRIES = ['Mooring lines', 'Anchors', 'Fenders', 'Lamps', 'Bilge pumps', 'Flags'];
const MOORING = [
  'Mooring lines hold the vessel at the quay. They are made of three strands of polyester,',
  'and every one of them must be replaced after five years, or when a strand is frayed.',
];
const ANCHORS = [
  'An anchor holds by the weight of its chain, not by its own. With a chain that is three times',
  'as long as the water is deep, it holds in a light wind; in a storm it needs seven times as much.',
];
const LAMPS = [
  'Lamps are lit from sunset to sunrise, whatever the weather is, and the keeper of the quay',
  'notes in the log when they were lit and by whom they were put out in the morning.',
];
const PAGES = [
  layOut([
    ['Table of Contents'],
    ENTRIES.map((title, at) => `${at + 1} ${title} ${'. '.repeat(40 - title.length)} ${at + 2}`),
  ]),
  layOut([MOORING, ANCHORS]),
  layOut([LAMPS]),
];

test('a hit names the elements it was made from, with boxes around their words', async () => {
  const id = await client.ingest({ bytes: pdfOf(PAGES), filename: 'quay.pdf' });
  assert.equal((await client.settled(id)).primary_status, 'completed');
  const { body: found } = await client.post('/files/search', {
    query: 'When is a lamp lit?',
    document_ids: [id],
  });
  const [hit] = found.items as Json[];
  assert.match(hit.content, /Lamps are lit/);
  const { body: whole } = await client.get(`/files/${id}/digitization`);
  const elements = new Map<string, Json>(
    whole.pages.flatMap(({ page_number: page, elements }: Json) =>
      elements.map((element: Json) => [element.element_id, { ...element, page }]),
    ),
  );
  assert.equal(elements.size, whole.pages.flatMap((page: Json) => page.elements).length, 'ids are unique');

  for (const { element_id: element, page_number: page, bounding_box: box } of hit.elements) {
    const shown = elements.get(element);
    assert.deepEqual([shown?.page, shown?.bounding_box], [page, box]);
    assert.ok(hit.content.includes(shown?.content), element);
  }
  for (const [page, lines] of PAGES.entries())
    for (const { text, x, y } of lines) {
      if (!hit.content.includes(text)) continue;
      const around = hit.elements.filter(({ page_number: number, bounding_box: box }: Json) => {
        const [left, top] = [box.x * PAGE.width, PAGE.height - box.y * PAGE.height];
        const [right, bottom] = [left + box.w * PAGE.width, top - box.h * PAGE.height];
        const end = x + text.length * SIZE * 0.4;
        return number === page + 1 && left <= x + 2 && right >= end && bottom <= y + 2 && top >= y + SIZE / 2;
      });
      assert.equal(around.length, 1, text);
    }

  const { body: listed } = await client.get(`/files/${id}/chunks`);
  const chunk = listed.chunks.find(({ chunk_id: each }: Json) => each === hit.chunk_id);
  assert.deepEqual(chunk.elements, hit.elements);
  const all = listed.chunks.flatMap((each: Json) => each.elements.map((element: Json) => element.element_id));
  assert.deepEqual(new Set(all), new Set(elements.keys()));
});

test('contents are listed as such, and found after the text', async () => {
  const id = await client.ingest({ bytes: pdfOf(PAGES), filename: 'quay-contents.pdf' });
  await client.settled(id);
  const { body: listed } = await client.get(`/files/${id}/chunks`);
  const roles = listed.chunks.map(({ page_numbers: pages, metadata }: Json) => [
    pages[0] === 1,
    metadata.role,
  ]);
  assert.ok(roles.length > 1);
  for (const [first, role] of roles) assert.equal(role, first ? 'contents' : 'body');
  const { body: found } = await client.post('/files/search', {
    query: 'Mooring lines, anchors, fenders, lamps, bilge pumps, flags',
    document_ids: [id],
  });
  const order = found.items.map(({ metadata }: Json) => metadata.role);
  assert.equal(order.at(0), 'body');
  assert.equal(order.at(-1), 'contents');
  assert.equal(order.lastIndexOf('body') + 1, order.indexOf('contents'));
});

test('the language of a document is that of its text, not of its beginning', async () => {
  const code =
    'make install prefix=/usr DESTDIR=debian/tmp && dpkg-deb --build debian/tmp quay_1.0_amd64.deb\n';
  const licence =
    'This program is free software; you can redistribute it and modify it under the terms of the licence that is in the file next to it.\n\n';
  const german =
    'Die Leinen halten das Schiff am Kai. Sie sind aus drei Litzen geschlagen, und jede von ihnen muss nach fünf Jahren ersetzt werden, oder wenn eine Litze gescheuert ist.\n\n';
  const bytes = Buffer.from(licence.repeat(8) + code.repeat(20) + german.repeat(30));
  const id = await client.ingest({ bytes, filename: 'leinen.txt' });
  await client.settled(id);
  const { body } = await client.get(`/files/${id}/text`);
  assert.equal(body.metadata.language, 'de');
});
