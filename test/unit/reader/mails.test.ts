/** E-mails: their fields, texts and attachments, and hostile ones. */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type * as Burner from '@kenjiuno/msgreader/lib/Burner.js';
import { openDocument } from 'darkroom-reader/open';
import { UnreadableDocument } from 'darkroom-reader';
import { invitationOf } from '../../../packages/reader/src/mail/invitation.ts';
import { shown } from '../../support/elements.ts';
import { writeEml } from '../../support/letters.ts';

const { burn } = createRequire(import.meta.url)('@kenjiuno/msgreader/lib/Burner.js') as typeof Burner;

let folder: string;
before(async () => (folder = await mkdtemp(join(tmpdir(), 'darkroom-mails-'))));
after(() => rm(folder, { recursive: true, force: true }));

async function read(type: 'eml' | 'msg', bytes: Uint8Array) {
  const path = join(folder, `mail.${type}`);
  await writeFile(path, bytes);
  const document = await openDocument({ path, type });
  const facts = await document.inspect();
  const numbers = Array.from({ length: document.pageCount }, (_, at) => at + 1);
  const pages = await document.readPages(facts.profile, numbers);
  const lines = pages.flatMap(({ elements }) =>
    shown(elements).map(({ type: kind, content }) => `${kind}: ${content}`),
  );
  return { document, facts, lines };
}

const FIELDS = [
  'key_value: From: Ann Miller <ann@mill.example>',
  'key_value: To: Bob <bob@mill.example>',
  'key_value: Date: 2024-05-06T07:08:09.000Z',
];

test('an invitation has parameters in quotes, and no times that do not exist', () => {
  const lines = [
    'BEGIN:VEVENT',
    'DTSTART;TZID="(UTC+01:00) Amsterdam, Berlin":20240315T100000',
    'DTEND:99999999T999999Z',
    'LOCATION;ALTREP="http://x/y":Room: 5',
  ];
  assert.deepEqual(invitationOf(lines.join('\r\n'))?.fields, [
    ['Location', 'Room: 5'],
    ['Start', '2024-03-15 10:00 ((UTC+01:00) Amsterdam, Berlin)'],
    ['End', ''],
  ]);
});

test('an invitation without a text shows when and where, and what it says', async () => {
  const { lines } = await read(
    'eml',
    Buffer.from(
      [
        'From: Ann Miller <ann@mill.example>',
        'Subject: Budget',
        'Content-Type: multipart/alternative; boundary=b',
        '',
        '--b',
        'Content-Type: text/calendar; method=REQUEST; charset=utf-8',
        '',
        'BEGIN:VCALENDAR',
        'BEGIN:VTIMEZONE',
        'DTSTART:16010101T000000',
        'END:VTIMEZONE',
        'BEGIN:VEVENT',
        'DTSTART;TZID=Europe/Berlin:20240305T090000',
        'DTEND:20240305T090000Z',
        'LOCATION:Room 5\\, mill',
        'DESCRIPTION:Bring the',
        '  figures',
        'BEGIN:VALARM',
        'DESCRIPTION:Reminder',
        'END:VALARM',
        'END:VEVENT',
        'END:VCALENDAR',
        '--b--',
      ].join('\r\n'),
    ),
  );
  assert.deepEqual(lines, [
    'heading: Budget',
    'key_value: From: Ann Miller <ann@mill.example>',
    'key_value: Location: Room 5, mill',
    'key_value: Start: 2024-03-05 09:00 (Europe/Berlin)',
    'key_value: End: 2024-03-05T09:00:00.000Z',
    'paragraph: Bring the figures',
  ]);
});

test('an e-mail has its subject, its fields, its HTML with tables, and its attachments', async () => {
  const logo = Buffer.alloc(900, 1);
  const photo = Buffer.alloc(20_000, 2);
  const bytes = writeEml(
    '=?iso-8859-1?q?Gr=FC=DFe?=',
    '<p>See <s>old</s> <a href="https://mill.example/a">new</a></p><img src="cid:logo"><table><tr><td>Part<td>Price<tr><td>Bolt<td>1.50</table>',
    [
      { filename: 'a.txt', type: 'text/plain', content: 'one' },
      { filename: 'logo.png', type: 'image/png', content: logo, headers: 'Content-ID: <logo>' },
      { filename: 'photo.png', type: 'image/png', content: photo },
      { type: 'message/rfc822', content: 'From: a@mill.example\r\nSubject: Inner\r\n\r\nInner text\r\n' },
      { filename: 'sig.asc', type: 'application/pgp-signature', content: 'x' },
    ],
  );
  const { document, facts, lines } = await read('eml', bytes);
  assert.deepEqual(lines, [
    'heading: Grüße',
    ...FIELDS,
    'paragraph: See ~~old~~ [new](https://mill.example/a)',
    'table: | Part | Price |\n| --- | --- |\n| Bolt | 1.50 |',
  ]);
  assert.deepEqual(
    [facts.title, facts.author, facts.createdAt],
    ['Grüße', 'Ann Miller <ann@mill.example>', '2024-05-06T07:08:09.000Z'],
  );
  assert.deepEqual(
    facts.attachments?.map(({ filename, sizeBytes }) => [filename, sizeBytes]),
    [
      ['a.txt', 3],
      ['photo.png', 20_000],
      ['message.eml', 49],
    ],
  );
  assert.equal(Buffer.from((await document.readAttachment?.(0)) ?? []).toString(), 'one');
});

test('a text in a code page is decoded, and one without HTML keeps its paragraphs', async () => {
  const bytes = Buffer.from(
    'From: a@mill.example\nSubject: x\nContent-Type: text/plain; charset=windows-1251\n\n\xcf\xf0\xe8\xe2\xe5\xf2\n\nsecond\n',
    'latin1',
  );
  const { lines } = await read('eml', bytes);
  assert.deepEqual(lines.slice(2), ['paragraph: Привет', 'paragraph: second']);
});

test('a text counts beside HTML that says nothing', async () => {
  const part = (type: string, body: string) => `--a\nContent-Type: text/${type}\n\n${body}\n`;
  const { lines } = await read(
    'eml',
    Buffer.from(
      `From: a@mill.example\nMIME-Version: 1.0\nContent-Type: multipart/alternative; boundary=a\n\n${part('plain', 'The gear has come.')}${part('html', '<style>p {}</style><div>&nbsp;</div><table><tr><td><td></table>')}--a--\n`,
    ),
  );
  assert.deepEqual(lines, ['key_value: From: a@mill.example', 'paragraph: The gear has come.']);
});

test('texts and fields that name no encoding, or a wrong one, are decoded as other texts are', async () => {
  const mail = (subject: string, type: string, body: string): Buffer =>
    Buffer.from(`From: a@mill.example\nSubject: ${subject}\nContent-Type: ${type}\n\n${body}\n`, 'latin1');
  const cases: [bytes: Buffer, lines: string[], guess?: string][] = [
    [
      mail('x', 'text/html', '<meta charset=windows-1251><p>\xcf\xf0\xe8\xe2\xe5\xf2'),
      ['heading: x', 'paragraph: Привет'],
    ],
    [
      mail('Gr\xfc\xdfe', 'text/plain', 'Gr\xf6\xdfe'),
      ['heading: Grüße', 'paragraph: Größe'],
      'windows-1252',
    ],
    [mail('x', 'text/plain; charset=unicode-1-1-utf-7', 'Gr+APYA3w-e'), ['heading: x', 'paragraph: Größe']],
    [mail('x', 'text/plain; charset=us-ascii', 'Gr\xc3\xb6\xc3\x9fe'), ['heading: x', 'paragraph: Größe']],
  ];
  for (const [bytes, expected, guess] of cases) {
    const { facts, lines } = await read('eml', bytes);
    assert.deepEqual(
      lines.filter((line) => !line.startsWith('key_value')),
      expected,
    );
    assert.equal(/read as ([\w-]+)/.exec(JSON.stringify(facts.profile))?.[1], guess);
  }
});

/** A message of Outlook. @param streams by name; those of an attachment are in a folder of their own */
function writeMsg(
  streams: Readonly<Record<string, Buffer>>,
  attachment: Readonly<Record<string, Buffer>>,
): Uint8Array {
  const ROOT = 5;
  const FOLDER = 1;
  const STREAM = 2;
  const stream = ([name, bytes]: [string, Buffer]): Burner.Entry => ({
    name,
    type: STREAM,
    length: bytes.length,
    binaryProvider: () => Uint8Array.from(bytes),
  });
  const own = Object.entries({ '__properties_version1.0': Buffer.alloc(32), ...streams }).map(stream);
  const inner = Object.entries({ '__properties_version1.0': Buffer.alloc(8), ...attachment }).map(stream);
  const at = own.length + 1;
  return burn([
    {
      name: 'Root Entry',
      type: ROOT,
      length: 0,
      children: Array.from({ length: at }, (_, index) => index + 1),
    },
    ...own,
    {
      name: '__attach_version1.0_#00000000',
      type: FOLDER,
      length: 0,
      children: inner.map((_, index) => at + 1 + index),
    },
    ...inner,
  ]);
}
const wide = (text: string): Buffer => Buffer.from(text, 'utf16le');

test('a message of Outlook has its subject, fields, text and attachments', async () => {
  const { document, facts, lines } = await read(
    'msg',
    writeMsg(
      {
        '__substg1.0_0037001F': wide('Grüße'),
        '__substg1.0_0C1A001F': wide('Ann Miller'),
        '__substg1.0_0C1F001F': wide('/O=MILL/CN=ANN'),
        '__substg1.0_1000001F': wide('First\r\n\r\nSecond'),
      },
      { '__substg1.0_3707001F': wide('a.txt'), '__substg1.0_37010102': Buffer.from('one') },
    ),
  );
  assert.deepEqual(lines, [
    'heading: Grüße',
    'key_value: From: Ann Miller',
    'paragraph: First',
    'paragraph: Second',
  ]);
  assert.deepEqual(
    facts.attachments?.map(({ filename, sizeBytes }) => [filename, sizeBytes]),
    [['a.txt', 3]],
  );
  assert.equal(Buffer.from((await document.readAttachment?.(0)) ?? []).toString(), 'one');
});

/** As Outlook keeps it, without its compression. */
function keptRtf(rtf: string): Buffer {
  const bytes = Buffer.from(rtf, 'latin1');
  const head = Buffer.alloc(16);
  head.writeUInt32LE(bytes.length + 12, 0);
  head.writeUInt32LE(bytes.length, 4);
  head.write('MELA', 8);
  return Buffer.concat([head, bytes]);
}
/** Properties of fixed length, of four bytes each. */
const properties = (given: Readonly<Record<number, number>>): Buffer =>
  Buffer.concat([
    Buffer.alloc(32),
    ...Object.entries(given).map(([tag, value]) => {
      const entry = Buffer.alloc(16);
      entry.writeUInt16LE(3, 0);
      entry.writeUInt16LE(Number(tag), 2);
      entry.writeInt32LE(value, 8);
      return entry;
    }),
  ]);
const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');

test('texts of a message of Outlook are in the code page that it names, or looks like', async () => {
  const body =
    '\xc4\xee\xe3\xee\xe2\xee\xf0 \xee \xef\xee\xf1\xf2\xe0\xe2\xea\xe5 \xf2\xee\xe2\xe0\xf0\xee\xe2';
  for (const named of [{ 0x3ffd: 1251 }, { 0x3fde: 20127 }]) {
    const { facts, lines } = await read(
      'msg',
      writeMsg(
        {
          '__properties_version1.0': properties(named),
          '__substg1.0_0037001E': latin1('\xc4\xee\xe3\xee\xe2\xee\xf0'),
          '__substg1.0_1000001E': latin1(body),
        },
        { '__substg1.0_3707001F': wide('note.docx') },
      ),
    );
    assert.deepEqual(lines, ['heading: Договор', 'paragraph: Договор о поставке товаров']);
    const notes = JSON.stringify(facts.profile);
    assert.equal(notes.includes('read as windows-1251'), 0x3fde in named);
    assert.match(notes, /The content of an attachment is not in the message: note.docx/);
  }
});

test('the HTML that Outlook keeps inside an RTF is read; without one, what the RTF says', async () => {
  const plain = { '__substg1.0_1000001F': wide('Bolts are cheap.') };
  const html =
    '{\\rtf1\\ansi\\ansicpg1252\\fromhtml1{\\*\\htmltag64 <p>}See \\htmlrtf{\\b\\htmlrtf0 {\\*\\htmltag84 <a href="https://mill.example/a">}it\\\'e9{\\*\\htmltag92 </a>}\\htmlrtf}\\htmlrtf0{\\*\\htmltag0 <table><tr><td>}Part{\\*\\htmltag0 <td>}Price{\\*\\htmltag0 <tr><td>}Bolt{\\*\\htmltag0 <td>}1{\\*\\htmltag0 </table>}}';
  const cases: [rtf: string, lines: string[]][] = [
    [
      html,
      [
        'paragraph: See [ité](https://mill.example/a)',
        'table: | Part | Price |\n| --- | --- |\n| Bolt | 1 |',
      ],
    ],
    ['{\\rtf1\\ansi Rich {\\strike old}\\par}', ['paragraph: Rich ~~old~~']],
    ['{\\rtf1\\mac\\fromhtml1 x}', ['paragraph: Bolts are cheap.']],
    [`{\\rtf1\\ansi\\fromhtml1 ${'{'.repeat(1_000_000)}`, ['paragraph: Bolts are cheap.']],
    ['{\\rtf1\\ansi\\fromtext x}', ['paragraph: Bolts are cheap.']],
    ['{\\rtf1\\ansi\\pard\\par}', ['paragraph: Bolts are cheap.']],
    ['{\\rtf1\\ansi\\ansicpg1252\\fromhtml1{\\*\\htmltag64 <p>}}', ['paragraph: Bolts are cheap.']],
    [
      "{\\rtf1\\ansi\\ansicpg708\\fromhtml1{\\fonttbl{\\f0\\fcharset77 Geneva;}}\\'e3{\\f0 caf\\'8e}}",
      ['paragraph: كcafé'],
    ],
  ];
  for (const [rtf, expected] of cases)
    assert.deepEqual(
      (await read('msg', writeMsg({ ...plain, '__substg1.0_10090102': keptRtf(rtf) }, {}))).lines,
      expected,
    );
});

test('an RTF around HTML of a character set that the package refuses is read as RTF without a plain text', async () => {
  const rtf = String.raw`{\rtf1\mac\fromhtml1{\*\htmltag64 <p>}caf\'8e}`;
  const { lines } = await read('msg', writeMsg({ '__substg1.0_10090102': keptRtf(rtf) }, {}));
  assert.deepEqual(lines, ['paragraph: café']);
});

test('a packed RTF that states more than it has, or unpacks to too much, gives way to the plain text', async () => {
  const packed = (stated: number, bytes: Buffer): Buffer => {
    const head = Buffer.alloc(16);
    head.writeUInt32LE(stated, 0);
    head.write('LZFu', 8);
    return Buffer.concat([head, bytes]);
  };
  // The example of the format's description.
  const good = Buffer.from(
    '2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c090020627705b06c647d0a800fa0',
    'hex',
  );
  assert.deepEqual((await read('msg', writeMsg({ '__substg1.0_10090102': good }, {}))).lines, [
    'paragraph: hello world',
  ]);
  const long = Buffer.alloc(5_000_000, 0xff);
  for (const rtf of [packed(30_000_000, Buffer.alloc(4)), packed(long.length + 12, long)]) {
    const plain = { '__substg1.0_1000001F': wide('text') };
    const { lines } = await read('msg', writeMsg({ ...plain, '__substg1.0_10090102': rtf }, {}));
    assert.deepEqual(lines, ['paragraph: text']);
  }
});

test('texts in encodings that the package knows by another name, or not at all, do not damage a message', async () => {
  const cases: [page: number, body: string, line: string][] = [
    [10007, '\x8f\xf0\xe8\xe2\xe5\xf2', 'paragraph: Привет'],
    // What is not of its encoding is beyond what the detector looks at.
    [0, `${'\x1b$B$3$s$K$A$O@$3&\x1b(B '.repeat(3_200)}\xe9`, `paragraph: ${'こんにちは世界 '.repeat(50)}`],
  ];
  for (const [page, body, line] of cases) {
    const { lines } = await read(
      'msg',
      writeMsg(
        { '__properties_version1.0': properties({ 0x3ffd: page }), '__substg1.0_1000001E': latin1(body) },
        {},
      ),
    );
    assert.equal(lines[0]?.slice(0, line.length), line);
  }
});

test('a signed message of Outlook without a text of its own has that of what is signed', async () => {
  const { lines } = await read(
    'msg',
    writeMsg(
      { '__substg1.0_0037001F': wide('x') },
      {
        '__substg1.0_370E001F': wide('multipart/signed'),
        '__substg1.0_37010102': Buffer.from(writeEml('x', '<p>signed text</p>', [])),
      },
    ),
  );
  assert.deepEqual(lines, ['heading: x', 'paragraph: signed text']);
});

test('a signed message of Outlook has the attachments of what is signed, and an unsent one no date', async () => {
  const signed = writeEml('x', '<p>text</p>', [
    { filename: 'a.txt', type: 'text/plain', content: 'one' },
    { filename: 'smime.p7s', type: 'application/pkcs7-signature', content: 'x' },
  ]);
  const time = Buffer.alloc(16);
  time.writeUInt32LE(0x0e060040, 0);
  time.writeBigUInt64LE(132_300_000_000_000_000n, 8);
  const { facts, lines } = await read(
    'msg',
    writeMsg(
      {
        '__properties_version1.0': Buffer.concat([properties({ 0x0e07: 8 }), time]),
        '__substg1.0_001A001F': wide('IPM.Contact'),
        '__substg1.0_1000001F': wide('text'),
        '__substg1.0_3A16001F': wide('Mill Ltd'),
      },
      { '__substg1.0_370E001F': wide('multipart/signed'), '__substg1.0_37010102': signed },
    ),
  );
  assert.deepEqual(lines, ['key_value: Company: Mill Ltd', 'paragraph: text']);
  assert.deepEqual(
    facts.attachments?.map(({ filename }) => filename),
    ['a.txt'],
  );
});

const nested = (levels: number): string =>
  Array.from(
    { length: levels },
    (_, at) => `Content-Type: multipart/mixed; boundary="b${at}"\r\n\r\n--b${at}\r\n`,
  ).join('');
const BAD: readonly [what: string, type: 'eml' | 'msg', bytes: () => Uint8Array][] = [
  ['of a thousand parts in each other', 'eml', () => Buffer.from(`Subject: x\r\n${nested(1000)}`)],
  ['without fields', 'eml', () => Buffer.from('\r\n\r\nhello')],
  ['of another type', 'msg', () => Buffer.from('hello')],
  ['that is cut off', 'msg', () => writeMsg({ '__substg1.0_0037001F': wide('x') }, {}).subarray(0, 700)],
];
for (const [what, type, bytes] of BAD)
  test(`a message ${what} is refused`, async () => {
    await assert.rejects(
      read(type, bytes()),
      (error) => error instanceof UnreadableDocument && error.reason === 'damaged',
    );
  });

test('a message that is cut off within an attachment keeps its text', async () => {
  const bytes = writeEml('x', '<p>text</p>', [
    { filename: 'a.txt', type: 'text/plain', content: 'x'.repeat(9_000) },
  ]);
  const { lines } = await read('eml', bytes.subarray(0, 2_000));
  assert.equal(lines.at(-1), 'paragraph: text');
});
