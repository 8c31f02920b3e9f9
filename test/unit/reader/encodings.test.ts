import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import iconv from 'iconv-lite';
import { readingNote } from 'darkroom-reader/document';
import { openDocument } from 'darkroom-reader/open';
import { decodeMarkup, decodeText } from '../../../packages/reader/src/text/decode-text.ts';
import { shown } from '../../support/elements.ts';
import { writeZip } from '../../support/zip-writer.ts';

const JAPANESE = '納品書\n品名,数量,単価\nねじ,10,50\n歯車,2,1200\n';
const LETTER =
  '株式会社北風商事 御中\nいつもお世話になっております。先月ご注文いただいた歯車とねじを本日発送いたしました。';
const CHINESE = '合同编号:2024-118。甲方应当在收到货物后三十日内支付全部货款,逾期支付的,应当承担违约金。';
const TAIWANESE = '合約編號:2024-118。甲方應當在收到貨物後三十日內支付全部貨款,逾期支付者應當承擔違約金。';
const KOREAN = '품명,수량,단가\n나사,10,50\n기어,2,1200\n';
const GERMAN =
  'Die Prüfung der Anlage ergab keine Mängel. Die Übergabe findet in Köln statt; größere Änderungen müssen vorher geklärt werden.';
const FRENCH = 'La société réglera la facture dès réception; les pièces détachées coûtent cher à Orléans.';
const POLISH = 'Umowa została podpisana we wrześniu. Źródło: księgowość, trzydzieści dni, cena śruby.';
const CZECH = 'Smlouva byla podepsána v září. Příloha: účetní závěrka, která je přesná a úplná.';
const HUNGARIAN = 'Az eladó köteles az árut leszállítani. Könyvelő: Szűcs Győző, kőműves, Hódmezővásárhely.';
const RUSSIAN = 'Наименование;Количество\nВинт;10\nШестерня;2\n';
const UKRAINIAN =
  'Договір підписано у вересні. Її ціна є гнучкою, а покупець платить протягом тридцяти днів.';
const GREEK = 'Περιγραφή;Ποσότητα\nΒίδα;10\nΓρανάζι;2\n';
const TURKISH = 'Sözleşme eylül ayında imzalandı. Şirket müdürü: Ağaoğlu, otuz gün içinde ödeme.';
const HEBREW = 'תיאור;כמות\nבורג;10\nגלגל שיניים;2\n';
const ARABIC = 'الوصف;الكمية\nبرغي;10\nترس;2\n';
const LITHUANIAN =
  'Pardavėjas įsipareigoja pristatyti prekes, o pirkėjas sumokėti kainą. Šiaulių žemė, ūkis.';
const THAI = 'รายการ;จำนวน\nสกรู;10\nเฟือง;2\n';

const TEXTS: readonly [text: string, encodings: string][] = [
  [JAPANESE, 'shift_jis euc-jp'],
  [LETTER, 'shift_jis euc-jp'],
  [CHINESE, 'gb18030 gbk'],
  [TAIWANESE, 'big5'],
  [KOREAN, 'euc-kr'],
  ['계약 번호 2024-118. 대금 전액을 지급하여야 하며 보증기간은 2년입니다 ㅋㅋ', 'euc-kr'],
  [GERMAN, 'windows-1252 iso-8859-15 macintosh cp850'],
  [FRENCH, 'windows-1252 iso-8859-15 macintosh'],
  [POLISH, 'windows-1250 iso-8859-2 cp852'],
  [CZECH, 'windows-1250 iso-8859-2'],
  [HUNGARIAN, 'windows-1250 iso-8859-2'],
  [RUSSIAN, 'windows-1251 koi8-r iso-8859-5 cp866'],
  [UKRAINIAN, 'windows-1251 koi8-u'],
  [GREEK, 'windows-1253 iso-8859-7'],
  [TURKISH, 'windows-1254 iso-8859-9'],
  [HEBREW, 'windows-1255 iso-8859-8'],
  [ARABIC, 'windows-1256 iso-8859-6'],
  [LITHUANIAN, 'windows-1257'],
  [THAI, 'windows-874'],
];

for (const [text, encodings] of TEXTS)
  for (const encoding of encodings.split(' '))
    test(`a text in ${encoding} is read without its name: ${text.slice(0, 12).replaceAll('\n', ' ')}`, () => {
      const decoded = decodeText(iconv.encode(text, encoding));
      assert.equal(decoded.text, text);
      assert.match(decoded.note ?? '', /does not name its encoding/);
    });

/** A word or two of a Western language say nothing of the encoding; it is the most common one. */
for (const text of [
  'Muñoz',
  '10 €',
  'naïve café',
  '£5 a piece',
  '10 µm ± 2',
  'Müller;5\n',
  'déjà vu',
  '1 × 2 = 2',
  'Id,Name\n1,José\n2,Zoë\n',
  'Citroën™ … ok',
  'one\n———————\ntwo ••••• three',
  'Müller schuldet 5 €\r',
  'Straße 5\rcafé\rÄrger\r',
  'Die Übung „Größe“\rkostet 5 €\rnaïve\rsmörgås\r',
  '1½m x 2¼in board, 2x½in nail',
  'Currency ¤ sign',
  // What is left out of long ASCII here begins within an end of line.
  `${'x'.repeat(23)}\r\n${'y'.repeat(60)} café`,
])
  test(`${JSON.stringify(text)} is Windows-1252`, () => {
    assert.equal(decodeText(iconv.encode(text, 'windows-1252')).text, text);
  });

test('a text is decoded by its mark, and by the pattern of its bytes', () => {
  const cases: [bytes: Buffer, encoding: string, text: string][] = [
    [Buffer.from('\uFEFFabc', 'utf16le'), 'utf-16le', 'abc'],
    [Buffer.from('Bär im Wald', 'utf16le'), 'utf-16le', 'Bär im Wald'],
    [Buffer.from('Bär im Wald', 'utf16le').swap16(), 'utf-16be', 'Bär im Wald'],
    [Buffer.from(Uint32Array.of(0xfeff, 66, 228, 114).buffer), 'utf-32le', 'Bär'],
    [Buffer.from(Uint32Array.of(0xfeff, 66, 228, 114).buffer).swap32(), 'utf-32be', 'Bär'],
    [Buffer.from('Bär'), 'utf-8', 'Bär'],
    [Buffer.from('\uFEFFBär'), 'utf-8', 'Bär'],
    [iconv.encode(JAPANESE, 'euc-jp'), 'euc-jp', JAPANESE],
    [Buffer.from('\u001B$BEl5~\u001B(B tower\n', 'latin1'), 'iso-2022-jp', '東京 tower\n'],
    [Buffer.from('plain'), 'utf-8', 'plain'],
    // As databases write what is beyond 16 bits.
    [Buffer.from('ok \xed\xa0\xbd\xed\xb8\x80 Gr\xc3\xb6\xc3\x9fe', 'latin1'), 'utf-8', 'ok 😀 Größe'],
    [iconv.encode('Prix: 12 €, cœur et sœur\n', 'iso-8859-15'), 'iso-8859-15', 'Prix: 12 €, cœur et sœur\n'],
    [iconv.encode('Le cœur et la sœur\n', 'iso-8859-15'), 'iso-8859-15', 'Le cœur et la sœur\n'],
    // What browsers read by this name, and Node does not.
    [
      iconv.encode('계약서 똠방각하 납품서에 서명해 주십시오', 'cp949'),
      'euc-kr',
      '계약서 똠방각하 납품서에 서명해 주십시오',
    ],
    [iconv.encode('Prüfbericht\rGröße geprüft\r', 'macintosh'), 'macintosh', 'Prüfbericht\rGröße geprüft\r'],
  ];
  for (const [bytes, encoding, text] of cases) {
    const decoded = decodeText(bytes);
    assert.deepEqual([decoded.encoding, decoded.text], [encoding, text]);
  }
});

test('UTF-7 is read where it is named, as by old e-mails', () => {
  const text = 'Größe 1 + 1 = 2 € und 納品書';
  const bytes = iconv.encode(text, 'utf-7');
  for (const name of ['utf-7', 'UTF-7', 'unicode-1-1-utf-7', 'x-unicode-2-0-utf-7'])
    assert.deepEqual(decodeText(bytes, [name]), { text, encoding: 'utf-7' });
  assert.equal(decodeText(bytes).text, bytes.toString('latin1'));
  assert.equal(decodeText(Buffer.from('Größe +AOQ-'), ['utf-7']).text, 'Größe +AOQ-');
  assert.equal(decodeMarkup(bytes, 'text/html; charset=utf-7').text, text);
});

test('what begins after a long text in ASCII is detected as well', () => {
  const text = `${'All is well. '.repeat(40_000)}${LETTER}`;
  assert.equal(decodeText(iconv.encode(text, 'shift_jis')).text, text);
});

test('invalid bytes do not make a text another one', () => {
  const long = fc.array(fc.constantFrom('Prüfung ', 'Übergabe ', '納品書', '10 € ', 'café '), {
    minLength: 5,
  });
  fc.assert(
    fc.property(long, fc.nat(), fc.integer({ min: 0x80, max: 0xff }), (words, at, byte) => {
      const [before, after] = [words.slice(0, at % words.length), words.slice(at % words.length)].map(
        (part) => part.join(''),
      ) as [string, string];
      const bytes = Buffer.concat([Buffer.from(before), Buffer.from([byte]), Buffer.from(`-${after}`)]);
      const { text, encoding, note } = decodeText(bytes);
      assert.deepEqual([text, encoding], [`${before}\uFFFD-${after}`, 'utf-8']);
      assert.match(note ?? '', /not valid utf-8.*: 1\./);
    }),
  );
});

test('a text that is cut within a character keeps the others', () => {
  const bytes = Buffer.from(GERMAN.slice(0, 40) + 'ü');
  assert.equal(decodeText(bytes.subarray(0, -1)).text, `${GERMAN.slice(0, 40)}\uFFFD`);
});

const DECLARED: readonly [what: string, markup: string, encoding: string, contentType?: string][] = [
  ['a meta element', `<meta charset="iso-8859-1"><p>Muñoz`, 'latin1'],
  [
    'an older meta element',
    `<meta http-equiv=Content-Type content="text/html; charset=windows-1250"><p>Łódź`,
    'windows-1250',
  ],
  ['its XML declaration', `<?xml version="1.0" encoding="koi8-r"?><p>Да</p>`, 'koi8-r'],
  ['a code page of DOS', `<?xml version='1.0' encoding='cp850'?><p>Ä</p>`, 'cp850'],
  [
    'the header of the response',
    '<meta charset=utf-8><p>Ä',
    'windows-1252',
    'text/html; charset="ISO-8859-1"',
  ],
  ['another name than the right one', '<meta charset=iso-8859-1><p>Größe', 'utf-8'],
  ['UTF-8, which it is not', `<meta charset=utf-8><p>${RUSSIAN}`, 'windows-1251'],
  ['escapes', `<meta charset=iso-2022-jp><p>`, 'utf-8'],
  ['no encoding that is known', '<meta charset=base64><p>Größe', 'utf-8'],
];
for (const [what, markup, encoding, contentType] of DECLARED)
  test(`markup that names ${what} is decoded`, () => {
    assert.equal(decodeMarkup(iconv.encode(markup, encoding), contentType).text, markup);
  });

let folder: string;
before(async () => (folder = await mkdtemp(join(tmpdir(), 'darkroom-encodings-'))));
after(() => rm(folder, { recursive: true, force: true }));

const zip = (parts: Record<string, Buffer | string>): Buffer =>
  writeZip(Object.entries(parts).map(([name, content]) => ({ name, content })));
const latin = (text: string): Buffer => iconv.encode(text, 'latin1');
const DECLARATION = '<?xml version="1.0" encoding="ISO-8859-1"?>';
const R = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const relation = (type: string, target: string): string =>
  `<Relationships><Relationship Id="r1" Type="${R}/${type}" Target="${target}"/></Relationships>`;
const WORD = 'Übergröße';

const FILES: readonly [
  type: Parameters<typeof openDocument>[0]['type'],
  bytes: Buffer,
  text: RegExp,
  note: boolean,
][] = [
  ['txt', iconv.encode(JAPANESE, 'shift_jis'), /納品書.*歯車/s, true],
  ['csv', iconv.encode(JAPANESE, 'shift_jis'), /納品書.*\| 歯車 \| 2 \| 1200 \|/s, true],
  [
    'md',
    iconv.encode(`# 納品書\n\n| 品名 | 数量 |\n|--|--|\n| ねじ | 10 |\n| 歯車 | 2 |\n`, 'euc-jp'),
    /納品書.*\| 歯車 \| 2 \|/s,
    true,
  ],
  ['html', iconv.encode(`<h1>Опись</h1><p>${RUSSIAN}`, 'koi8-r'), /Опись.*Шестерня/s, true],
  ['html', latin(`<meta charset=latin1><p>${WORD}`), /Übergröße/, false],
  [
    'epub',
    zip({
      'META-INF/container.xml':
        '<container><rootfiles><rootfile full-path="book.opf"/></rootfiles></container>',
      'book.opf': latin(
        `${DECLARATION}<package><metadata><title>${WORD}</title></metadata><manifest><item id="1" href="1.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="1"/></spine></package>`,
      ),
      '1.xhtml': latin(`${DECLARATION}<html><body><p>${WORD}</p></body></html>`),
    }),
    /Übergröße/,
    false,
  ],
  [
    'docx',
    zip({
      '[Content_Types].xml': '<Types/>',
      '_rels/.rels': relation('officeDocument', 'word/document.xml'),
      'word/document.xml': latin(
        `${DECLARATION}<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>${WORD}</w:t></w:r></w:p></w:body></w:document>`,
      ),
    }),
    /Übergröße/,
    false,
  ],
  [
    'xlsx',
    zip({
      'xl/workbook.xml': `<workbook xmlns:r="${R}"><sheets><sheet name="One" sheetId="1" r:id="r1"/></sheets></workbook>`,
      'xl/_rels/workbook.xml.rels': relation('worksheet', 'worksheets/one.xml'),
      'xl/worksheets/one.xml': latin(
        `${DECLARATION}<worksheet><row><c t="str"><v>${WORD}</v></c></row></worksheet>`,
      ),
    }),
    /Übergröße/,
    false,
  ],
  [
    'pptx',
    zip({
      'ppt/presentation.xml': `<presentation xmlns:r="${R}"><sldIdLst><sldId id="256" r:id="r1"/></sldIdLst></presentation>`,
      'ppt/_rels/presentation.xml.rels': relation('slide', 'slides/one.xml'),
      'ppt/slides/one.xml': latin(
        `${DECLARATION}<p:sld><p:cSld><p:spTree><p:sp><p:txBody><a:p><a:r><a:t>${WORD}</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:sld>`,
      ),
    }),
    /Übergröße/,
    false,
  ],
];
for (const [at, [type, bytes, text, isNoted]] of FILES.entries())
  test(`${at + 1}: ${type} is read in its encoding, and says where that is a guess`, async () => {
    const path = join(folder, `document.${type}`);
    await writeFile(path, bytes);
    const document = await openDocument({ path, type });
    const { profile } = await document.inspect();
    const pages = await document.readPages(profile, [1]);
    const content = shown(pages[0]?.elements ?? []).map((element) => element.content);
    assert.match(content.join('\n'), text);
    assert.equal(readingNote(profile) !== null, isNoted);
  });
