import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Archive } from '../../../packages/reader/src/archive.ts';
import { type OpenDocument, UnreadableDocument } from '../../../packages/reader/src/opened-document.ts';
import { type FlowElement, pagesOfParts } from '../../../packages/reader/src/flow/paginate.ts';
import { LIMITS } from '../../../packages/reader/src/limits.ts';
import { xmlPart } from '../../../packages/reader/src/markup/xml-parts.ts';
import { openPptx } from '../../../packages/reader/src/pptx/open-pptx.ts';
import { openXlsx } from '../../../packages/reader/src/xlsx/open-xlsx.ts';
import { writeZip } from '../../support/zip-writer.ts';
import { shown } from '../../support/elements.ts';

let folder: string;
before(async () => (folder = await mkdtemp(join(tmpdir(), 'darkroom-parts-'))));
after(() => rm(folder, { recursive: true, force: true }));

const PAGE: FlowElement[] = [{ type: 'paragraph', content: 'text' }];

test('a part of a package is read once, however often it is named', async () => {
  const read: string[] = [];
  const pages = await pagesOfParts(['a', 'b', 'a', ...Array<string>(50_000).fill('b')], async (part) => {
    read.push(part);
    return [PAGE];
  });
  assert.deepEqual([read, pages.length], [['a', 'b'], 2]);
});

test('no part is read after those whose pages reach the limit', async () => {
  let read = 0;
  const parts = Array.from({ length: 100 }, (_, at) => String(at));
  await assert.rejects(
    pagesOfParts(parts, async () => {
      read += 1;
      return Array.from({ length: LIMITS.pages / 4 }, () => PAGE);
    }),
    (error) => error instanceof UnreadableDocument && error.reason === 'too_many_pages',
  );
  assert.equal(read, 5);
});

/** An archive of parts of a length, which counts what is unpacked. */
function counting(characters: number): { archive: Archive; unpacked: string[] } {
  const unpacked: string[] = [];
  const archive: Archive = {
    names: [],
    bytes: async () => undefined,
    notes: new Set(),
    text: async (name) => {
      unpacked.push(name);
      return name === 'missing' ? undefined : `<a>${'x'.repeat(characters)}</a>`;
    },
  };
  return { archive, unpacked };
}

test('a part that many others refer to is parsed once', async () => {
  const { archive, unpacked } = counting(100_000);
  const trees = new Set<unknown>();
  for (let at = 0; at < 1_000; at++)
    for (const name of ['layout', 'chart']) trees.add(await xmlPart(archive, name));
  assert.deepEqual([unpacked, trees.size], [['layout', 'chart'], 2]);
  assert.equal(await xmlPart(archive, 'missing'), undefined);
});

test('the trees of many parts are not kept all at once', async () => {
  const { archive, unpacked } = counting(1_000_000);
  for (const name of ['a', 'b', 'c', 'd', 'a']) await xmlPart(archive, name);
  assert.deepEqual(unpacked, ['a', 'b', 'c', 'd', 'a']);
});

const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const relation = (type: string, target: string): string =>
  `<Relationships><Relationship Id="r1" Type="${RELATIONS}/${type}" Target="${target}"/></Relationships>`;
const named = (element: (at: number) => string): string =>
  Array.from({ length: LIMITS.pages + 1 }, (_, at) => element(at)).join('');
const OFTEN: readonly [type: string, open: typeof openXlsx, parts: Record<string, string>, text: string][] = [
  [
    'a sheet',
    openXlsx,
    {
      'xl/workbook.xml': `<workbook xmlns:r="${RELATIONS}"><sheets>${named((at) => `<sheet name="Sheet ${at}" r:id="r1"/>`)}</sheets></workbook>`,
      'xl/_rels/workbook.xml.rels': relation('worksheet', 'worksheets/one.xml'),
      'xl/worksheets/one.xml': '<worksheet><row><c t="str"><v>found</v></c></row></worksheet>',
    },
    'Sheet 0 found',
  ],
  [
    'a slide',
    openPptx,
    {
      'ppt/presentation.xml': `<p:presentation xmlns:r="${RELATIONS}"><p:sldIdLst>${named((at) => `<p:sldId id="${at}" r:id="r1"/>`)}</p:sldIdLst></p:presentation>`,
      'ppt/_rels/presentation.xml.rels': relation('slide', 'slides/one.xml'),
      'ppt/slides/one.xml':
        '<p:sld><p:cSld><p:spTree><p:sp><p:txBody><a:p><a:r><a:t>found</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:sld>',
    },
    'found',
  ],
];

for (const [what, open, parts, text] of OFTEN)
  test(`${what} that is named more often than there may be pages is one page`, async () => {
    const path = join(folder, 'document');
    await writeFile(path, writeZip(Object.entries(parts).map(([name, content]) => ({ name, content }))));
    const document: OpenDocument = await open(path);
    const pages = await document.readPages(null, [1]);
    const texts = pages.map(({ elements }) =>
      shown(elements)
        .map(({ content }) => content)
        .join(' '),
    );
    assert.deepEqual([document.pageCount, texts], [1, [text]]);
  });
