import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { createClient, sharedRun, type Json } from '../support/api.ts';
import { encryptedPdf, onePage, showLines, writePdf } from '../support/pdf-writer.ts';
import { docxEntries, writeZip, type ZipEntry } from '../support/zip-writer.ts';

/**
 * Broken or hostile documents are refused with a documented error, end `failed` with the reason, or end `completed` if
 * the input is odd but legal. The processes survive all of them.
 */
const client = createClient(sharedRun());
const MB = 1024 * 1024;
const text = (content: string) => Buffer.from(content, 'latin1');

const apiStarted = async (): Promise<string> =>
  /^process_start_time_seconds (.*)$/m.exec((await client.get(`${client.origin}/metrics`)).body)?.[1] ?? '';
let startedAt: string;
before(async () => {
  startedAt = await apiStarted();
  assert.match(startedAt, /^\d/);
});
after(async () => {
  assert.equal((await client.get(`${client.origin}/readyz`)).body.status, 'ok');
  assert.equal(await apiStarted(), startedAt, 'the API was restarted');
});

const REFUSED: [string, string, Buffer][] = [
  ['a Linux executable', 'a.txt', text('\x7fELF\x02\x01\x01'.padEnd(200, '\0'))],
  ['a Windows executable', 'a.md', text('MZ\x90\0\x03\0\0\0\x04'.padEnd(200, '\0'))],
  ['a macOS executable', 'a.txt', Buffer.from('cffaedfe0700000103000000020000001000000058050000', 'hex')],
  ['a shell script', 'a.txt', text('#!/bin/sh\nrm -rf /\n')],
  ['a Windows batch file', 'a.txt', text('@echo off\r\ndel *.*\r\n')],
  ['a PHP script', 'a.md', text('<?php system($_GET["c"]); ?>')],
  ['an HTML page', 'a.md', text('  <!DOCTYPE html><html><body>Hello</body></html>')],
  ['an HTML script element', 'a.md', text('<script>alert(1)</script>')],
  [
    'XML',
    'a.txt',
    text('<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'),
  ],
  ['a text with NUL', 'a.txt', text(`A text\0${'and more '.repeat(20)}`)],
  ['white space', 'a.txt', text(' \r\n\t\n ')],
  ['an archive', 'a.docx', writeZip([{ name: 'a.txt', content: 'words' }])],
  [
    'an OpenDocument drawing',
    'a.docx',
    writeZip([{ name: 'mimetype', content: 'application/vnd.oasis.opendocument.graphics' }]),
  ],
  ['an Android package', 'a.docx', writeZip([{ name: 'AndroidManifest.xml', content: 'x' }])],
  ['text with an unknown extension', 'a.exe', text('plain words')],
  ['an old Word document', 'a.docx', Buffer.from('d0cf11e0a1b11ae1'.padEnd(1024, '0'), 'hex')],
];

test('a file that is not a document is refused, whatever its name', async () => {
  for (const [name, filename, bytes] of REFUSED) {
    const { status, body } = await client.upload({ bytes, filename });
    assert.deepEqual([status, body.code], [415, 'UNSUPPORTED_MEDIA'], `${name}: ${JSON.stringify(body)}`);
  }
  const empty = await client.upload({ bytes: Buffer.alloc(0), filename: 'a.pdf' });
  assert.deepEqual([empty.status, empty.body.code], [422, 'EMPTY_FILE']);
});

const LINES = showLines(['The captain reads the long report of the winter,', 'and the harbour is quiet.']);
const page = (options = {}) => writePdf(onePage(LINES, options));
const replaced = (from: string, to: string) =>
  writePdf(onePage(LINES).map((object) => (typeof object === 'string' ? object.replace(from, to) : object)));
const docx = (others: ZipEntry[] = [], words = 'A quiet harbour') => writeZip(docxEntries(words, others));
const laughs = `<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "ha ha ">${Array.from(
  { length: 9 },
  (_, level) => `<!ENTITY ${'bcdefghij'.charAt(level)} "${`&${'abcdefghi'.charAt(level)};`.repeat(10)}">`,
).join(
  '',
)}]><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>&j;</w:t></w:r></w:p></w:body></w:document>`;

/** `fails` matches the reason of the failure, `reads` the extracted text. */
const UPLOADED: { name: string; filename: string; bytes: () => Buffer; fails?: RegExp; reads?: RegExp }[] = [
  { name: 'encrypted', filename: 'a.pdf', bytes: () => encryptedPdf(LINES, 'nobody'), fails: /password/i },
  { name: 'broken', filename: 'a.pdf', bytes: () => text(`%PDF-1.7\n${'A'.repeat(500)}`), fails: /./ },
  { name: 'truncated', filename: 'a.pdf', bytes: () => page().subarray(0, 300), fails: /./ },
  {
    name: 'a cyclic page tree',
    filename: 'a.pdf',
    bytes: () => writePdf(['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [2 0 R] /Count 1 >>']),
    fails: /./,
  },
  {
    name: 'a claim of a million pages',
    filename: 'a.pdf',
    bytes: () => replaced('/Count 1', '/Count 1000000'),
    reads: /harbour is quiet/,
  },
  {
    name: 'a page that unpacks to a hundred megabytes, twice',
    filename: 'a.pdf',
    bytes: () => {
      const once = deflateSync(Buffer.alloc(100 * MB, 0x20), { level: 9 });
      return writePdf(onePage(deflateSync(once), { stream: '/Filter [/FlateDecode /FlateDecode]' }));
    },
    reads: /^$/,
  },
  {
    name: 'scripts and programs',
    filename: 'a.pdf',
    bytes: () =>
      page({
        catalogue:
          '/OpenAction << /S /JavaScript /JS (while \\(true\\) {}) /Next << /S /Launch /F (/bin/sh) >> >>',
      }),
    reads: /harbour is quiet/,
  },
  {
    name: 'a page of a million points',
    filename: 'a.pdf',
    bytes: () => replaced('[0 0 400 300]', '[0 0 1000000 1000000]'),
    reads: /harbour is quiet/,
  },
  {
    name: 'a drawing of a million points',
    filename: 'a.pdf',
    bytes: () =>
      writePdf(
        onePage('0 0 900000 900000 re f').map((object) =>
          typeof object === 'string' ? object.replace('[0 0 400 300]', '[0 0 1000000 1000000]') : object,
        ),
      ),
    reads: /^$/,
  },
  {
    name: 'a gigabyte of text',
    filename: 'a.docx',
    bytes: () => writeZip(docxEntries('x').map((entry) => ({ ...entry, claimedSize: 2 ** 30 }))),
    fails: /./,
  },
  {
    name: 'an entry larger than its claimed size',
    filename: 'a.docx',
    bytes: () => writeZip(docxEntries('x'.repeat(100_000)).map((entry) => ({ ...entry, claimedSize: 64 }))),
    fails: /./,
  },
  {
    name: 'a hundred thousand entries',
    filename: 'a.docx',
    bytes: () => docx(Array.from({ length: 100_000 }, (_, at) => ({ name: `word/${at}`, content: '' }))),
    fails: /./,
  },
  {
    name: 'path traversal',
    filename: 'a.docx',
    bytes: () => docx([{ name: '../../../../etc/cron.d/x', content: 'x' }]),
    fails: /damaged/,
  },
  {
    name: 'entities that expand exponentially',
    filename: 'a.docx',
    bytes: () => docx([], laughs),
    fails: /./,
  },
  {
    name: 'an external entity',
    filename: 'a.docx',
    bytes: () =>
      docx(
        [],
        `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>&b;</w:t></w:r></w:p></w:body></w:document>`,
      ),
    fails: /./,
  },
  {
    name: 'a remote template and macros',
    filename: 'a.docx',
    bytes: () =>
      docx([
        { name: 'word/vbaProject.bin', content: 'x' },
        {
          name: 'word/_rels/settings.xml.rels',
          content:
            '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" TargetMode="External" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/attachedTemplate" Target="http://127.0.0.1:9/t.dotm"/></Relationships>',
        },
      ]),
    reads: /quiet harbour/,
  },
  {
    name: 'an archive without a document',
    filename: 'a.docx',
    bytes: () => writeZip([{ name: '[Content_Types].xml', content: '<Types/>' }]),
    fails: /./,
  },
  {
    name: 'UTF-16',
    filename: 'a.txt',
    bytes: () => Buffer.from('\uFEFFEin Bär im Wald', 'utf16le'),
    reads: /^Ein Bär im Wald$/,
  },
  {
    name: 'UTF-16 without a byte order mark',
    filename: 'a.txt',
    bytes: () => Buffer.from('Ein Bär im Wald', 'utf16le').swap16(),
    reads: /^Ein Bär im Wald$/,
  },
  { name: 'Latin-1', filename: 'a.md', bytes: () => text('# Ein B\xe4r'), reads: /^Ein Bär$/ },
  {
    name: 'a NUL far from the beginning',
    filename: 'a.txt',
    bytes: () => text(`${'Ein langer Text. '.repeat(2000)}\0Ende`),
    reads: /Ende$/,
  },
  {
    name: 'a line longer than any text that is read',
    filename: 'a.txt',
    bytes: () => Buffer.alloc(33 * MB, 'word '),
    fails: /has \d+ bytes of text, and at most/,
  },
  {
    name: 'HTML far from the beginning',
    filename: 'a.md',
    bytes: () => text('# Title\n\n<script>alert(1)</script>\n\nwords'),
    reads: /^Title\s+words$/,
  },
];

test('broken and hostile documents fail with a reason, and odd ones are read', async () => {
  const ids = await Promise.all(
    UPLOADED.map(({ filename, bytes, name }) =>
      client.ingest({
        bytes: Buffer.concat([bytes()]),
        filename: `${name.replaceAll(' ', '-')}-${filename}`,
      }),
    ),
  );
  const wrong: Json[] = [];
  for (const [at, { name, fails, reads }] of UPLOADED.entries()) {
    const id = ids[at] ?? '';
    const file = await client.settled(id, 240);
    const { body } = await client.get(`/files/${id}/text`);
    const reason = file.text_extraction_error ?? '';
    const fits = fails
      ? file.primary_status === 'failed' && fails.test(reason)
      : file.text_extraction_status === 'completed' && reads?.test(body.text.trim());
    if (!fits) wrong.push([name, file.primary_status, reason, body.text.slice(0, 100)]);
    assert.equal(file.primary_status === 'failed', file.digitization_status !== 'completed', name);
  }
  assert.deepEqual(wrong, []);
});
