import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, extname, join } from 'node:path';
import sharp from 'sharp';
import { PROJECT_ROOT } from '../../../dev/project-root.ts';
import type { DocumentType } from 'darkroom-reader/document';
import { createComposer, DESIGN } from '../../quality/generate/composer.ts';
import { writeEntries, type ZipEntry } from './zip.ts';

/** A file that is read without an error, to be mutated. */
export interface Seed<Type extends string = string> {
  name: string;
  type: Type;
  bytes: Uint8Array;
}

const SAMPLES = join(PROJECT_ROOT, 'dev', 'samples');
const folderOf = (name: string): string =>
  dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
const read = (path: string): Uint8Array => readFileSync(path);
/** Reading a larger file costs more than it finds. */
const MOST_BYTES = 200_000;

/** Documents of every type: the samples, files of packages, and small ones of types that no package has. */
export async function documentSeeds(): Promise<Seed<DocumentType>[]> {
  const files: [DocumentType, string[]][] = [
    ['pdf', globSync(join(SAMPLES, 'documents', '*.pdf'))],
    [
      'docx',
      [
        join(SAMPLES, 'documents', 'lease.docx'),
        ...globSync(join(folderOf('mammoth'), 'test/test-data/!(empty).docx')),
      ],
    ],
    ['md', ['fast-check', 'papaparse', 'mammoth', 'zod'].map((name) => join(folderOf(name), 'README.md'))],
    ['txt', globSync(join(PROJECT_ROOT, 'LICENSE'))],
    ['csv', globSync(join(folderOf('papaparse'), 'tests/*sample*.csv'))],
    ['html', globSync(join(PROJECT_ROOT, 'dev/demo/*.html'))],
  ];
  const found = files.flatMap(([type, paths]) =>
    paths.map((path) => ({ name: basename(path), type, bytes: read(path) })),
  );
  return [
    ...found.filter(({ bytes }) => bytes.length <= MOST_BYTES),
    { name: 'columns', type: 'pdf', bytes: await composedPdf() },
    { name: 'workbook', type: 'xlsx', bytes: await writeEntries(WORKBOOK) },
    { name: 'slides', type: 'pptx', bytes: await writeEntries(SLIDES) },
    { name: 'book', type: 'epub', bytes: await writeEntries(BOOK) },
    { name: 'memo', type: 'rtf', bytes: Buffer.from(MEMO, 'latin1') },
    { name: 'letter', type: 'odt', bytes: await writeEntries(LETTER) },
    { name: 'scan', type: 'tiff', bytes: await scannedPages() },
  ];
}

/** Images of every accepted format: the samples, and one of each other format made of them. */
export async function imageSeeds(): Promise<Seed[]> {
  const samples = globSync(join(SAMPLES, '*.{jpg,webp}')).map((path) => ({
    name: basename(path),
    type: extname(path).slice(1),
    bytes: read(path),
  }));
  const small = sharp(join(SAMPLES, 'chelsea.jpg')).resize(160);
  const formats = ['png', 'gif', 'webp', 'avif', 'tiff'] as const;
  const made = formats.map(async (type) => ({
    name: `chelsea-small.${type}`,
    type,
    bytes: await small.clone().toFormat(type).toBuffer(),
  }));
  return [...samples, ...(await Promise.all(made))];
}

/** A PDF of two columns with a table and embedded fonts. */
async function composedPdf(): Promise<Uint8Array> {
  const composer = await createComposer({ ...DESIGN, columns: 2, regular: 'DejaVuSans.ttf' });
  composer.heading(1, 'The survey of the harbour');
  composer.paragraph('The captain reads the long report of the winter. '.repeat(12));
  composer.list(
    [
      { text: 'ropes', depth: 0 },
      { text: 'thin ropes', depth: 1 },
    ],
    true,
  );
  composer.table(
    [
      ['Pump', 'Litres'],
      ['A 1', '12.5'],
      ['B 2', '7'],
    ],
    { ruled: 'all', widths: [1, 1], numbers: true },
  );
  return (await composer.finish()).bytes;
}

/** A TIFF of two pages. */
async function scannedPages(): Promise<Uint8Array> {
  const page = (text: string) =>
    Buffer.from(
      `<svg width="400" height="500" xmlns="http://www.w3.org/2000/svg"><rect width="400" height="500" fill="#fff"/><text x="30" y="60" font-size="24">${text}</text></svg>`,
    );
  return sharp(['The harbour is quiet', 'The second page'].map(page), { join: { animated: true } })
    .tiff({ compression: 'lzw' })
    .toBuffer();
}

const XML = '<?xml version="1.0" encoding="UTF-8"?>';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const xml = (name: string, content: string): ZipEntry => ({ name, content: Buffer.from(XML + content) });
const relations = (
  name: string,
  ...targets: readonly (readonly [id: string, type: string, target: string])[]
): ZipEntry =>
  xml(
    name,
    `<Relationships>${targets.map(([id, type, target]) => `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`).join('')}</Relationships>`,
  );
const TYPES = xml('[Content_Types].xml', '<Types/>');

const WORKBOOK = [
  TYPES,
  xml('xl/workbook.xml', '<workbook><sheets><sheet name="Pumps" sheetId="1" r:id="r1"/></sheets></workbook>'),
  relations('xl/_rels/workbook.xml.rels', ['r1', 'worksheet', 'worksheets/sheet1.xml']),
  xml('xl/sharedStrings.xml', '<sst><si><t>Pump</t></si><si><r><t>Lit</t></r><r><t>res</t></r></si></sst>'),
  xml(
    'xl/styles.xml',
    '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="#,##0.00 [$EUR];[Red]-0"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/></cellXfs></styleSheet>',
  ),
  xml(
    'xl/worksheets/sheet1.xml',
    '<worksheet><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row><row r="2"><c r="A2" s="1"><v>45000</v></c><c r="B2" s="2"><f>SUM(C1:C9)</f><v>12.5</v></c><c r="D2" t="inlineStr"><is><t>x</t></is></c></row><row r="3" hidden="1"><c r="A3" t="b"><v>1</v></c></row></sheetData><mergeCells><mergeCell ref="A2:B3"/></mergeCells></worksheet>',
  ),
];

const shape = (placeholder: string, text: string): string =>
  `<p:sp><p:nvSpPr><p:nvPr><p:ph type="${placeholder}"/></p:nvPr></p:nvSpPr><p:spPr><a:xfrm><a:off x="1" y="2"/><a:ext cx="9" cy="9"/></a:xfrm></p:spPr><p:txBody><a:p><a:pPr lvl="1"/><a:r><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp>`;
const TABLE =
  '<p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tr><a:tc gridSpan="2"><a:txBody><a:p><a:r><a:t>Pump</a:t></a:r></a:p></a:txBody></a:tc><a:tc hMerge="1"/></a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>';
const MEMO = String.raw`{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset204 Arial;}}{\stylesheet{\s1 heading 1;}}\pard\s1 Pumps\par\pard\ls1{\listtext 3.\tab}Gr\'f6\'dfe \u8364?5\par\trowd\trhdr\cellx1000\clvmgf\cellx3000\pard\intbl Part\cell {\f1\'cf}\cell\row\pard{\field{\*\fldinst HYPERLINK "https://mill.example"}{\fldrslt mill}}{\footnote Note\par}\par}`;
const LETTER = [
  { name: 'mimetype', content: Buffer.from('application/vnd.oasis.opendocument.text') },
  xml(
    'content.xml',
    '<office:document-content><office:automatic-styles><style:style style:name="S" style:family="text"><style:text-properties style:text-line-through-style="solid"/></style:style></office:automatic-styles><office:body><office:text><text:h text:outline-level="1">Pumps</text:h><text:list><text:list-item text:start-value="3"><text:p>Left<text:s text:c="3"/><text:span text:style-name="S">old</text:span></text:p></text:list-item></text:list><table:table><table:table-row table:number-rows-repeated="2"><table:table-cell table:number-columns-repeated="3" table:number-rows-spanned="2"><text:p>12.5</text:p></table:table-cell></table:table-row></table:table><text:p>End<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>Note</text:p></text:note-body></text:note></text:p></office:text></office:body></office:document-content>',
  ),
];
const SLIDES = [
  TYPES,
  xml(
    'ppt/presentation.xml',
    '<p:presentation><p:sldIdLst><p:sldId id="256" r:id="r1"/><p:sldId id="257" r:id="r2"/></p:sldIdLst></p:presentation>',
  ),
  relations(
    'ppt/_rels/presentation.xml.rels',
    ['r1', 'slide', 'slides/slide1.xml'],
    ['r2', 'slide', 'slides/slide2.xml'],
  ),
  xml(
    'ppt/slides/slide1.xml',
    `<p:sld><p:cSld><p:spTree>${shape('title', 'The harbour')}${shape('body', 'It is quiet')}</p:spTree></p:cSld></p:sld>`,
  ),
  xml(
    'ppt/slides/slide2.xml',
    `<p:sld><p:cSld><p:spTree>${shape('title', 'Pumps')}${TABLE}</p:spTree></p:cSld></p:sld>`,
  ),
  relations('ppt/slides/_rels/slide1.xml.rels', ['n1', 'notesSlide', '../notesSlides/notes1.xml']),
  xml(
    'ppt/notesSlides/notes1.xml',
    `<p:notes><p:cSld><p:spTree>${shape('body', 'Speak slowly')}</p:spTree></p:cSld></p:notes>`,
  ),
];

const BOOK = [
  { name: 'mimetype', content: Buffer.from('application/epub+zip') },
  xml(
    'META-INF/container.xml',
    '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>',
  ),
  xml(
    'OPS/book.opf',
    '<package><metadata><dc:title>A Book</dc:title><dc:language>en</dc:language></metadata><manifest><item id="c1" href="one.xhtml"/><item id="c2" href="two%20b.xhtml"/></manifest><spine><itemref idref="c1"/><itemref idref="c2" linear="no"/></spine></package>',
  ),
  xml(
    'OPS/one.xhtml',
    '<html><head><title>One</title></head><body><h1>One</h1><p>The <b>harbour</b> &amp; the sea.</p><ol><li>a<ul><li>b</li></ul></li></ol></body></html>',
  ),
  xml(
    'OPS/two b.xhtml',
    '<html><body><h2>Two</h2><table><tr><th colspan="2">Pump</th></tr><tr><td>A</td><td>1</td></tr></table><pre>code</pre></body></html>',
  ),
];
