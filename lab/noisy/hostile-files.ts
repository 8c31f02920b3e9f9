import { deflateSync } from 'node:zlib';
import { buffer } from 'node:stream/consumers';
import sharp from 'sharp';
import yazl from 'yazl';
import { createDice } from '../shared/dice.ts';

export interface NamedFile {
  kind: string;
  name: string;
  bytes: Buffer<ArrayBuffer>;
}

/** Makes the bytes of a kind of hostile file; the unique text makes each file different. */
type Make = (unique: string) => Buffer | Promise<Buffer>;

const text =
  (make: (unique: string) => string): Make =>
  (unique) =>
    Buffer.from(make(unique));

/** Makes one image and appends the unique text to it, which image readers ignore. */
function imageOf(make: () => Promise<Buffer>): Make {
  let made: Promise<Buffer> | undefined;
  return async (unique) => Buffer.concat([await (made ??= make()), Buffer.from(unique)]);
}

const nested = (depth: number, open: string, close: string, inside: string): string =>
  `${open.repeat(depth)}${inside}${close.repeat(depth)}`;

const WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const paragraph = (content: string): string => `<w:p><w:r><w:t>${content}</w:t></w:r></w:p>`;

/** Kinds of small files that cost far more to process than their size suggests. */
export const HOSTILE_KINDS: Readonly<Record<string, { extension: string; make: Make }>> = {
  'md-emphasis': { extension: 'md', make: text((id) => `${id}\n\n${'*_'.repeat(60_000)}`) },
  'md-quotes': { extension: 'md', make: text((id) => `${id}\n\n${'>'.repeat(120_000)} a`) },
  'md-lists': {
    extension: 'md',
    make: text((id) => `${id}\n\n${lines(700, (at) => `${'  '.repeat(at)}- a`)}`),
  },
  'md-brackets': { extension: 'md', make: text((id) => `${id}\n\n${'['.repeat(200_000)}`) },
  'md-links': { extension: 'md', make: text((id) => `${id}\n\n${'[a]('.repeat(50_000)}`) },
  'md-table': {
    extension: 'md',
    make: text((id) => `| ${id} | n |\n| - | - |\n${'| bolt | 7 |\n'.repeat(150_000)}`),
  },
  'txt-form-feeds': { extension: 'txt', make: text((id) => `${id}${'x\f'.repeat(30_000)}`) },
  'txt-long-line': { extension: 'txt', make: text((id) => `${id} ${'word '.repeat(400_000)}`) },
  'txt-spaces': { extension: 'txt', make: text((id) => `${id}${' '.repeat(95_000)}b`) },
  'txt-table': { extension: 'txt', make: text((id) => `${id}\n\n${lines(60_000, (at) => `${at} | b | c`)}`) },
  'docx-tables-in-tables': {
    extension: 'docx',
    make: (id) => docx(nested(2_000, '<w:tbl><w:tr><w:tc>', '<w:p/></w:tc></w:tr></w:tbl>', paragraph(id))),
  },
  'docx-runs': {
    extension: 'docx',
    make: (id) =>
      docx(`${paragraph(id)}<w:p>${'<w:r><w:rPr><w:b/></w:rPr><w:t>a</w:t></w:r>'.repeat(400_000)}</w:p>`),
  },
  'docx-properties': {
    extension: 'docx',
    make: (id) => docx(paragraph(id), `<cp>${'<dc:title '.repeat(60_000)}</cp>`),
  },
  'xlsx-number-format': { extension: 'xlsx', make: (id) => numberFormats(id, 900_000) },
  'pdf-page-tree': { extension: 'pdf', make: (id) => deepPageTree(id, 3_000) },
  'pdf-flate-bomb': { extension: 'pdf', make: (id) => onePage(id, Buffer.alloc(150_000_000, 0x20)) },
  'pdf-content': {
    extension: 'pdf',
    make: (id) => onePage(id, Buffer.from('BT /F1 9 Tf 1 0 0 1 9 9 Tm (a) Tj ET\n'.repeat(400_000))),
  },
  'pdf-same-page': { extension: 'pdf', make: (id) => samePage(id, 9_000) },
  'png-interlaced': {
    extension: 'png',
    make: imageOf(() => flat(9_900, 9_900).png({ progressive: true }).toBuffer()),
  },
  'webp-large': {
    extension: 'webp',
    make: imageOf(() => flat(12_000, 8_000).webp({ lossless: true }).toBuffer()),
  },
  'png-noise': { extension: 'png', make: imageOf(() => speckled(1_600)) },
};

/** Hostile files, the same number of each kind, in an order determined by the seed. */
export async function hostileFiles(
  count: number,
  seed: number,
  only: readonly string[] = Object.keys(HOSTILE_KINDS),
): Promise<NamedFile[]> {
  const kinds = Object.entries(HOSTILE_KINDS).filter(([kind]) => only.includes(kind));
  const files: NamedFile[] = [];
  for (let index = 0; index < count; index += 1) {
    const entry = kinds[index % kinds.length];
    if (!entry) continue;
    const [kind, { extension, make }] = entry;
    const bytes = Buffer.from(await make(`hostile ${seed} ${index}`));
    files.push({ kind, name: `hostile-${index}.${extension}`, bytes });
  }
  return createDice(seed).shuffle(files);
}

function lines(count: number, line: (at: number) => string): string {
  return Array.from({ length: count }, (_, at) => line(at)).join('\n');
}

const XML = '<?xml version="1.0"?>';
const PACKAGES = 'http://schemas.openxmlformats.org/package/2006';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

function docx(body: string, core?: string): Promise<Buffer> {
  return officeFile('word/document.xml', {
    'word/document.xml': `${XML}<w:document ${WORD}><w:body>${body}</w:body></w:document>`,
    ...(core !== undefined && { 'docProps/core.xml': core }),
  });
}

/** A sheet of cells whose values are to be shown in a number format of the maximum length. */
function numberFormats(unique: string, cells: number): Promise<Buffer> {
  const sheet = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
  const format = `[Red][&gt;=1000000]#,##0.00,,"M";[Blue][&lt;0]-0.0000000000E+00;# ?????/?????${'"x"'.repeat(20)}`;
  const columns = 900;
  const row = `<row>${'<c s="0"><v>3.14159265358979</v></c>'.repeat(columns)}</row>`;
  const first = `<row><c t="inlineStr"><is><t>${unique}</t></is></c></row>`;
  return officeFile('xl/workbook.xml', {
    'xl/workbook.xml': `<workbook ${sheet} xmlns:r="${OFFICE}"><sheets><sheet name="s" sheetId="1" r:id="r1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relationship('worksheet', 'worksheets/sheet1.xml'),
    'xl/worksheets/sheet1.xml': `<worksheet ${sheet}><sheetData>${first}${row.repeat(cells / columns)}</sheetData></worksheet>`,
    'xl/styles.xml': `<styleSheet ${sheet}><numFmts><numFmt numFmtId="200" formatCode="${format.replaceAll('"', '&quot;').slice(0, 255)}"/></numFmts><cellXfs><xf numFmtId="200"/></cellXfs></styleSheet>`,
  });
}

const relationship = (type: string, target: string): string =>
  `${XML}<Relationships xmlns="${PACKAGES}/relationships"><Relationship Id="r1" Type="${OFFICE}/${type}" Target="${target}"/></Relationships>`;

/** @param parts the parts of the archive besides those that lead to the main one */
function officeFile(main: string, parts: Readonly<Record<string, string>>): Promise<Buffer> {
  const zip = new yazl.ZipFile();
  const sheetType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml';
  const override = main.startsWith('xl/') ? `<Override PartName="/${main}" ContentType="${sheetType}"/>` : '';
  const types = `${XML}<Types xmlns="${PACKAGES}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${override}</Types>`;
  const leading = { '[Content_Types].xml': types, '_rels/.rels': relationship('officeDocument', main) };
  for (const [name, content] of Object.entries({ ...leading, ...parts })) {
    zip.addBuffer(Buffer.from(content), name);
  }
  zip.end();
  return buffer(zip.outputStream);
}

/** A PDF of these objects, the first being the catalogue, without a cross-reference table: readers rebuild it. */
function pdf(objects: readonly (string | Buffer)[]): Buffer {
  const parts = objects.flatMap((object, at) => [
    Buffer.from(`${at + 1} 0 obj\n`),
    Buffer.from(object),
    Buffer.from('\nendobj\n'),
  ]);
  const trailer = `trailer\n<< /Root 1 0 R /Size ${objects.length + 1} >>\n%%EOF\n`;
  return Buffer.concat([Buffer.from('%PDF-1.7\n'), ...parts, Buffer.from(trailer)]);
}

const CATALOGUE = '<< /Type /Catalog /Pages 2 0 R >>';
const FONT = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>';
const pageOf = (parent: number, contents: number, font: number): string =>
  `<< /Type /Page /Parent ${parent} 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 ${font} 0 R >> >> /Contents ${contents} 0 R >>`;

function stream(content: Buffer): Buffer {
  const bytes = deflateSync(content);
  const head = Buffer.from(`<< /Length ${bytes.length} /Filter /FlateDecode >>\nstream\n`);
  return Buffer.concat([head, bytes, Buffer.from('\nendstream')]);
}

const line = (words: string): Buffer => Buffer.from(`BT /F1 12 Tf 50 700 Td (${words}) Tj ET\n`);

function onePage(unique: string, content: Buffer): Buffer {
  const pages = '<< /Type /Pages /Kids [3 0 R] /Count 1 >>';
  return pdf([CATALOGUE, pages, pageOf(2, 5, 4), FONT, stream(Buffer.concat([line(unique), content]))]);
}

function samePage(unique: string, times: number): Buffer {
  const pages = `<< /Type /Pages /Kids [${'3 0 R '.repeat(times)}] /Count ${times} >>`;
  const content = Buffer.concat(Array.from({ length: 300 }, () => line(`${unique} and some words more`)));
  return pdf([CATALOGUE, pages, pageOf(2, 5, 4), FONT, stream(content)]);
}

function deepPageTree(unique: string, depth: number): Buffer {
  const nodes = Array.from({ length: depth }, (_, at) => `<< /Type /Pages /Kids [${at + 3} 0 R] /Count 1 >>`);
  const page = depth + 2;
  return pdf([CATALOGUE, ...nodes, pageOf(page - 1, page + 2, page + 1), FONT, stream(line(unique))]);
}

const flat = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#357' }, limitInputPixels: false });

/** Letter-sized specks in lines: a recogniser treats each as a letter. */
async function speckled(side: number): Promise<Buffer> {
  const dice = createDice(side);
  const cells = Math.floor(side / 8);
  const specks = Uint8Array.from({ length: cells * cells }, (_, at) =>
    Math.floor(at / cells) % 3 !== 2 && dice.fraction() < 0.5 ? 0 : 255,
  );
  return sharp(specks, { raw: { width: cells, height: cells, channels: 1 } })
    .resize(side, side, { kernel: 'nearest' })
    .png()
    .toBuffer();
}
