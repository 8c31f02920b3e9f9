import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { UnreadableDocument } from '../../../packages/reader/src/opened-document.ts';
import { openEpub } from '../../../packages/reader/src/epub/open-epub.ts';
import { writeZip } from '../../support/zip-writer.ts';
import { shown } from '../../support/elements.ts';

let folder: string;
before(async () => (folder = await mkdtemp(join(tmpdir(), 'darkroom-books-'))));
after(() => rm(folder, { recursive: true, force: true }));

/** The text of a book of one chapter, and of an item of its manifest. */
async function textOf(href: string, type: string, part: string, content: string): Promise<string> {
  const path = join(folder, 'book.epub');
  const opf = `<package><manifest><item id="1" href="c1.xhtml" media-type="application/xhtml+xml"/>
    <item id="2" href="${href}" media-type="${type}"/></manifest><spine><itemref idref="1"/><itemref idref="2"/></spine></package>`;
  const container = '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>';
  await writeFile(
    path,
    writeZip([
      { name: 'META-INF/container.xml', content: container },
      { name: 'OPS/book.opf', content: opf },
      { name: 'OPS/c1.xhtml', content: '<p>first</p>' },
      { name: part, content },
    ]),
  );
  const book = await openEpub(path);
  const numbers = Array.from({ length: book.pageCount }, (_, at) => at + 1);
  const pages = await book.readPages(null, numbers);
  return pages.flatMap(({ elements }) => shown(elements).map(({ content: text }) => text)).join(', ');
}

const XHTML = 'application/xhtml+xml';
const BOOKS: readonly [
  what: string,
  href: string,
  type: string,
  part: string,
  content: string,
  text: string,
][] = [
  ['of any name', 'c2.xht', XHTML, 'OPS/c2.xht', '<p>second</p>', 'first, second'],
  ['without an ending', 'c2', 'text/html', 'OPS/c2', '<p>second</p>', 'first, second'],
  [
    'with a name that is not decoded',
    'c%202.xhtml',
    XHTML,
    'OPS/c%202.xhtml',
    '<p>second</p>',
    'first, second',
  ],
  ['with a name that is decoded', 'c%202.xhtml', XHTML, 'OPS/c 2.xhtml', '<p>second</p>', 'first, second'],
  ['without a type', 'c2.html', '', 'OPS/c2.html', '<p>second</p>', 'first, second'],
  ['with CDATA', 'c2.xhtml', XHTML, 'OPS/c2.xhtml', '<p>a<![CDATA[ < b]]></p>', 'first, a < b'],
  ['that is a picture', 'c2.jpg', 'image/jpeg', 'OPS/c2.jpg', '<p>second</p>', 'first'],
];

for (const [what, href, type, part, content, text] of BOOKS)
  test(`EPUB: a chapter ${what}`, async () => {
    assert.equal(await textOf(href, type, part, content), text);
  });

test('EPUB: a book without one of its chapters is damaged', async () => {
  await assert.rejects(
    textOf('nothere.xhtml', XHTML, 'OPS/c2.xhtml', '<p>second</p>'),
    (error) => error instanceof UnreadableDocument && error.reason === 'damaged',
  );
});
