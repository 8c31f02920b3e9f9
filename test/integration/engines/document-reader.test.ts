import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { wallOf } from '../../../engines/hosts/task-host.ts';
import { createDocumentReader } from '../../../engines/document-reader/create-document-reader.ts';
import { type DocumentFacts, UnreadableDocument, type UnreadableReason } from 'darkroom-reader';
import type { DocumentReader, DocumentSource } from '../../../engines/document-reader/document-reader.ts';
import { readingBudget, totalBudgetMs } from '../../../engines/document-reader/reading-budget.ts';
import { openingMs, readingNote, type DocumentType, type PageContent } from 'darkroom-reader/document';
import { createProcessPool } from '../../../engines/hosts/process-pool.ts';
import { encryptedPdf, onePage, showLines, writePdf } from '../../support/pdf-writer.ts';
import { docxEntries, writeZip } from '../../support/zip-writer.ts';
import { markdownOf } from '../../../domain/documents/markdown.ts';
import { listed } from '../../support/elements.ts';

const MIB = 2 ** 20;
const signal = AbortSignal.timeout(600_000);
let folder: string;
let reader: DocumentReader;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-documents-'));
  reader = createDocumentReader({ createPool: createProcessPool, slots: 1, maxRssBytes: 700 * MIB });
});
after(async () => {
  await reader.close();
  await rm(folder, { recursive: true, force: true });
});

let files = 0;
async function save(bytes: Uint8Array | string, type: DocumentType): Promise<DocumentSource> {
  const path = join(folder, `${++files}.${type}`);
  await writeFile(path, bytes);
  return { path, type, tenantId: 'one' };
}

async function read(
  bytes: Uint8Array | string,
  type: DocumentType,
): Promise<{ facts: DocumentFacts; pages: PageContent[]; text: string }> {
  const source = await save(bytes, type);
  const facts = await reader.inspect(source, signal);
  const numbers = Array.from({ length: Math.min(facts.pageCount, 20) }, (_, index) => index + 1);
  const pages = await reader.readPages(
    source,
    facts.profile,
    numbers.filter((number) => !facts.pagesToRecognise.includes(number)),
    signal,
  );
  const text = pages.flatMap(({ elements }) => elements.map(markdownOf)).join('\n');
  return { facts, pages, text };
}

const LINES = showLines(['The captain reads the long report of the winter,', 'and the harbour is quiet.']);
const words = 'x'.repeat(1000);
const laughs = `<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "ha ha ">${Array.from(
  { length: 9 },
  (_, level) => `<!ENTITY ${'bcdefghij'.charAt(level)} "${`&${'abcdefghi'.charAt(level)};`.repeat(10)}">`,
).join(
  '',
)}]><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>&j;</w:t></w:r></w:p></w:body></w:document>`;

const UNREADABLE: {
  name: string;
  type: DocumentType;
  bytes: () => Uint8Array | string;
  reasons: UnreadableReason[];
}[] = [
  {
    name: 'a PDF with a password',
    type: 'pdf',
    bytes: () => encryptedPdf(LINES, 'nobody'),
    reasons: ['encrypted'],
  },
  {
    name: 'bytes that are not a PDF',
    type: 'pdf',
    bytes: () => '%PDF-1.7 nothing else',
    reasons: ['damaged'],
  },
  {
    name: 'a cyclic page tree',
    type: 'pdf',
    bytes: () => writePdf(['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [2 0 R] /Count 1 >>']),
    reasons: ['damaged', 'empty'],
  },
  {
    name: 'bytes that are not a ZIP archive',
    type: 'docx',
    bytes: () => 'PK nothing else',
    reasons: ['damaged'],
  },
  {
    name: 'another archive',
    type: 'docx',
    bytes: () => writeZip([{ name: 'a.txt', content: 'a' }]),
    reasons: ['damaged'],
  },
  {
    name: 'an archive whose text is a gigabyte',
    type: 'docx',
    bytes: () => writeZip(docxEntries('text').map((entry) => ({ ...entry, claimedSize: 2 ** 30 }))),
    reasons: ['too_large'],
  },
  {
    name: 'an archive entry larger than its claimed size',
    type: 'docx',
    bytes: () => writeZip(docxEntries(words).map((entry) => ({ ...entry, claimedSize: 64 }))),
    reasons: ['damaged'],
  },
  {
    name: 'an archive of many entries',
    type: 'docx',
    bytes: () =>
      writeZip(
        docxEntries(
          'text',
          Array.from({ length: 10_000 }, (_, index) => ({ name: `word/${index}`, content: '' })),
        ),
      ),
    reasons: ['too_large'],
  },
  { name: 'only white space', type: 'txt', bytes: () => ' \n\n ', reasons: ['empty'] },
  {
    name: 'a program',
    type: 'txt',
    bytes: () =>
      Buffer.from('\x7fELF\x02\x01\x01\0\0\0\0\x01\x02\x03\x04\x05\x06\x07\x0e'.repeat(50), 'latin1'),
    reasons: ['damaged'],
  },
];

for (const { name, type, bytes, reasons } of UNREADABLE)
  test(`${name} (${type}) is unreadable`, async () => {
    await assert.rejects(read(bytes(), type), (error) => {
      assert.ok(error instanceof UnreadableDocument, String(error));
      assert.ok(reasons.includes(error.reason), `${error.reason}: ${error.message}`);
      return true;
    });
  });

const READABLE: { name: string; type: DocumentType; bytes: () => Uint8Array | string; text: RegExp }[] = [
  {
    name: 'a PDF with a password only for changes',
    type: 'pdf',
    bytes: () => encryptedPdf(LINES, 'anyone'),
    text: /harbour is quiet/,
  },
  {
    name: 'a PDF without its table of objects',
    type: 'pdf',
    bytes: () => writePdf(onePage(LINES), { withoutTable: true }),
    text: /harbour is quiet/,
  },
  {
    name: 'a PDF that runs scripts and programs',
    type: 'pdf',
    bytes: () =>
      writePdf(
        onePage(LINES, {
          catalogue:
            '/OpenAction << /S /JavaScript /JS (while \\(true\\) {}) /Next << /S /Launch /F (/bin/sh) >> >>',
        }),
      ),
    text: /harbour is quiet/,
  },
  {
    name: 'a PDF that draws itself',
    type: 'pdf',
    bytes: () => {
      const form = {
        dictionary: '/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 6 0 R >> >>',
        bytes: Buffer.from('/X Do'),
      };
      return writePdf([
        ...onePage(`${LINES} /X Do`, {
          page: '/Resources << /Font << /F1 5 0 R >> /XObject << /X 6 0 R >> >>',
        }),
        form,
      ]);
    },
    text: /harbour|^$/,
  },
  {
    name: 'a PDF that claims a million pages',
    type: 'pdf',
    bytes: () =>
      writePdf(
        onePage(LINES).map((object, index) =>
          index === 1 ? '<< /Type /Pages /Kids [3 0 R] /Count 1000000 >>' : object,
        ),
      ),
    text: /harbour is quiet/,
  },
  {
    name: 'a DOCX with path traversal',
    type: 'docx',
    bytes: () => writeZip([...docxEntries('A quiet harbour'), { name: 'word/__/__/etc', content: 'x' }]),
    text: /quiet harbour/,
  },
  {
    name: 'a DOCX with a remote template and macros',
    type: 'docx',
    bytes: () =>
      writeZip(
        docxEntries('A quiet harbour', [
          { name: 'word/vbaProject.bin', content: 'x' },
          {
            name: 'word/_rels/settings.xml.rels',
            content:
              '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" TargetMode="External" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/attachedTemplate" Target="http://127.0.0.1:9/t.dotm"/></Relationships>',
          },
        ]),
      ),
    text: /quiet harbour/,
  },
  { name: 'UTF-8 with a byte order mark', type: 'txt', bytes: () => '\uFEFFEin Bär', text: /^Ein Bär$/ },
  {
    name: 'UTF-16 with a byte order mark',
    type: 'txt',
    bytes: () => Buffer.from('\uFEFFEin Bär', 'utf16le'),
    text: /^Ein Bär$/,
  },
  {
    name: 'UTF-16 without one, big-endian',
    type: 'txt',
    bytes: () => Buffer.from('Ein Bär im Wald', 'utf16le').swap16(),
    text: /^Ein Bär im Wald$/,
  },
  {
    name: 'Windows-1252',
    type: 'txt',
    bytes: () => Buffer.from('Ein B\xe4r, 5 \x80', 'latin1'),
    text: /^Ein Bär, 5 €$/,
  },
  {
    name: 'text with NULs',
    type: 'txt',
    bytes: () => `Ein ${'langer Text '.repeat(5)}\0Bär`,
    text: /Text Bär$/,
  },
  { name: 'one very long line', type: 'txt', bytes: () => 'word '.repeat(2_000_000), text: /^word word/ },
  {
    name: 'HTML as Markdown',
    type: 'md',
    bytes: () => '# Title\n\n<script>alert(1)</script>\n\n<b>text</b>',
    text: /^Title\ntext$/,
  },
];

for (const { name, type, bytes, text } of READABLE)
  test(`${name} (${type}) is read`, async () => {
    assert.match((await read(bytes(), type)).text, text);
  });

test('entities that expand exponentially are not expanded', async () => {
  const outcome = await read(writeZip(docxEntries(laughs)), 'docx').catch((error: unknown) => error);
  if (outcome instanceof Error) assert.ok(outcome instanceof UnreadableDocument, String(outcome));
  else assert.ok((outcome as { text: string }).text.length < 10_000);
});

test('a page that unpacks to 200 MB ends the reader process, not its caller', async () => {
  const bomb = deflateSync(Buffer.alloc(200 * MIB, 0x20), { level: 1 });
  const source = await save(writePdf(onePage(bomb, { stream: '/Filter /FlateDecode' })), 'pdf');
  const small = createDocumentReader({ createPool: createProcessPool, slots: 1, maxRssBytes: 250 * MIB });
  try {
    await assert.rejects(small.readPages(source, undefined, [1], signal), { name: 'UnreadableDocument' });
  } finally {
    await small.close();
  }
});

test('a page of enormous dimensions is rendered within the pixel limit', async () => {
  const source = await save(
    writePdf(
      onePage(LINES).map((object) =>
        typeof object === 'string' ? object.replace('[0 0 400 300]', '[0 0 1000000 1000000]') : object,
      ),
    ),
    'pdf',
  );
  const { width, height, grey } = await reader.renderPage(source, 1, signal);
  assert.equal(grey.length, width * height);
  assert.ok(grey.length <= 12_000_000);
});

test('a shown page is a small JPEG, turned back', async () => {
  const source = await save(writePdf(onePage('0 0 100 100 re f')), 'pdf');
  const show = async (turns: 0 | 2) => {
    const page = { pageNumber: 1, turns, maxDimension: 200 };
    const { bytes, contentType } = await reader.showPage(source, page, signal);
    assert.equal(contentType, 'image/jpeg');
    const { data, info } = await sharp(bytes).greyscale().raw().toBuffer({ resolveWithObject: true });
    assert.deepEqual([info.format, info.width, info.height], ['raw', 200, 150]);
    return { lowerLeft: data[140 * 200 + 10] ?? NaN, upperRight: data[10 * 200 + 190] ?? NaN };
  };
  const upright = await show(0);
  assert.ok(upright.lowerLeft < 30 && upright.upperRight > 225, JSON.stringify(upright));
  const turned = await show(2);
  assert.ok(turned.lowerLeft > 225 && turned.upperRight < 30, JSON.stringify(turned));
});

test('a page without text needs text recognition', async () => {
  const drawn = await read(writePdf(onePage('0 0 100 100 re f')), 'pdf');
  assert.deepEqual(drawn.facts.pagesToRecognise, [1]);
  assert.deepEqual((await read(writePdf(onePage(LINES)), 'pdf')).facts.pagesToRecognise, []);
});

test('reading a missing page fails, and the others can still be read', async () => {
  const source = await save(writePdf(onePage(LINES)), 'pdf');
  await assert.rejects(reader.readPages(source, undefined, [2], signal), { name: 'UnreadableDocument' });
  assert.equal((await reader.readPages(source, undefined, [1], signal)).length, 1);
});

test('an abort ends the task with its reason, and the next one works', async () => {
  const source = await save(writePdf(onePage(LINES)), 'pdf');
  const reason = new Error('enough');
  const aborted = new AbortController();
  const running = reader.inspect(source, aborted.signal);
  aborted.abort(reason);
  await assert.rejects(running, reason);
  assert.equal((await reader.inspect(source, signal)).pageCount, 1);
});

/** A Word document whose rows have eight cells each. */
function longTable(rows: number): Buffer {
  const cell = (text: string) => `<w:tc><w:p><w:r><w:t>${text}</w:t></w:r></w:p></w:tc>`;
  const row = (at: number) =>
    `<w:tr>${Array.from({ length: 8 }, (_, column) => cell(`bolt ${at} ${column}`)).join('')}</w:tr>`;
  const word = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
  const body = Array.from({ length: rows }, (_, at) => row(at)).join('');
  return writeZip(
    docxEntries(
      `<?xml version="1.0"?><w:document xmlns:w="${word}"><w:body><w:tbl>${body}</w:tbl></w:body></w:document>`,
    ),
  );
}

test('a document that exceeds its processor time is unreadable', async () => {
  const strict = createDocumentReader({
    createPool: createProcessPool,
    slots: 1,
    budget: () => ({ cpuMs: 1, wallMs: 120_000 }),
  });
  try {
    const slow = await save(longTable(40_000), 'docx');
    await assert.rejects(strict.inspect(slow, signal), {
      name: 'UnreadableDocument',
      reason: 'took_too_long',
    });
  } finally {
    await strict.close();
  }
});

test('the tasks of a run have a total of processor time, and each run has its own', async () => {
  const strict = createDocumentReader({ createPool: createProcessPool, slots: 1, total: () => 300 });
  try {
    const source = await save(writePdf(onePage(LINES)), 'pdf');
    const { profile } = await strict.inspect(source, signal);
    const first = { ...source, run: 'first' };
    await assert.rejects(
      async () => {
        for (;;) await strict.readPages(first, profile, [1], signal);
      },
      { name: 'UnreadableDocument', reason: 'budget_spent' },
    );
    await assert.rejects(strict.readPages(first, profile, [1], signal), { reason: 'budget_spent' });
    const pages = await strict.readPages({ ...source, run: 'second' }, profile, [1], signal);
    assert.match(listed(pages[0]?.elements ?? [])[0] ?? '', /captain/);
  } finally {
    await strict.close();
  }
});

test('a task that the total of its run ends is charged to it', async () => {
  const strict = createDocumentReader({ createPool: createProcessPool, slots: 1, total: () => 1 });
  try {
    const slow = { ...(await save(longTable(40_000), 'docx')), run: 'one' };
    for (let attempt = 0; attempt < 2; attempt++)
      await assert.rejects(strict.inspect(slow, signal), { reason: 'budget_spent' });
  } finally {
    await strict.close();
  }
});

test('an inspection tells what opening took, also of a document that is already open', async () => {
  const source = await save(longTable(5_000), 'docx');
  const [first, again] = [await reader.inspect(source, signal), await reader.inspect(source, signal)];
  assert.ok(openingMs(first.profile) > 0);
  assert.equal(openingMs(again.profile), openingMs(first.profile));
  assert.equal(openingMs(null), 0);
});

const STRUCTURES: [string, () => string][] = [
  ['runs of emphasis', () => '*_'.repeat(40_000)],
  ['quotes in quotes', () => '>'.repeat(300_000)],
];
for (const [name, make] of STRUCTURES)
  test(`Markdown whose structure takes too long is read as plain text, with a note: ${name}`, async () => {
    const { facts, pages } = await read(make(), 'md');
    assert.match(String(readingNote(facts.profile)), /^Read as plain text/);
    assert.ok(pages.some(({ elements }) => elements.length > 0));
  });

test('a regular table of 150,000 rows is read, row by row', async () => {
  const roomy = createDocumentReader({ createPool: createProcessPool, slots: 1 });
  try {
    const source = await save(`| name | n |\n| - | - |\n${'| bolt | 7 |\n'.repeat(150_000)}`, 'md');
    const { pageCount, profile } = await roomy.inspect(source, signal);
    const numbers = Array.from({ length: pageCount }, (_, at) => at + 1);
    const pages = await roomy.readPages(source, profile, numbers, signal);
    const rows = pages
      .flatMap(({ elements }) => elements)
      .flatMap((element) => (element.type === 'table' ? element.rows : []))
      .filter(([name]) => name === 'bolt');
    assert.equal(rows.length, 150_000);
  } finally {
    await roomy.close();
  }
});

test('a Word document with one long table is read', async () => {
  const roomy = createDocumentReader({ createPool: createProcessPool, slots: 1 });
  try {
    const source = await save(longTable(5_000), 'docx');
    const { pageCount, profile } = await roomy.inspect(source, signal);
    const pages = await roomy.readPages(source, profile, [1, pageCount], signal);
    assert.match(listed(pages.at(-1)?.elements ?? []).at(-1) ?? '', /bolt 4999 7/);
  } finally {
    await roomy.close();
  }
});

test('Markdown of usual structure has no note', async () => {
  const { facts, pages } = await read('# Title\n\n- a\n  - b\n\n> quoted *twice*\n'.repeat(1_000), 'md');
  assert.equal(readingNote(facts.profile), null);
  assert.equal(pages[0]?.elements[0]?.type, 'heading');
});

test('the time limit of a document leaves room for a reader that gets little processor time', async () => {
  const { cpuMs } = readingBudget({ type: 'pdf', bytes: 5 * MIB, pages: 1_158 });
  assert.ok(cpuMs > 30_000, 'a manual of 1,158 pages takes twelve seconds of an idle core');
  assert.ok(wallOf(cpuMs) >= 20 * cpuMs);
  // More pages than the bytes can hold do not increase the budget.
  assert.ok(readingBudget({ type: 'pdf', bytes: 70_000, pages: 10_000 }).cpuMs < 10_000);
});

test('the total of a document leaves room for drawing its pages, and depends on its bytes however many it claims', () => {
  const scans = { type: 'pdf', bytes: 25 * MIB, pages: 500 } as const;
  assert.ok(totalBudgetMs(scans) > 500 * 2_000, 'a scan takes up to a second, and may be drawn twice');
  assert.ok(totalBudgetMs({ type: 'xlsx', bytes: 45_000, pages: 9_000 }) < 60_000);
  assert.ok(totalBudgetMs({ ...scans, type: 'docx' }) >= 4 * readingBudget({ ...scans, type: 'docx' }).cpuMs);
});
