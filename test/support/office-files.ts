import { writeZip, type ZipEntry } from './zip-writer.ts';

const XML = '<?xml version="1.0" encoding="UTF-8"?>';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const TYPES = '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>';

/** A part with the relationships of another one: the name of its target by its id, with the last part of its type. */
function relations(
  name: string,
  targets: readonly (readonly [id: string, type: string, target: string])[],
): ZipEntry {
  const all = targets.map(
    ([id, type, target]) => `<Relationship Id="${id}" Type="${RELATIONS}/${type}" Target="${target}"/>`,
  );
  return { name, content: `${XML}<Relationships>${all.join('')}</Relationships>` };
}

export interface Sheet {
  name: string;
  /** The `<row>` elements. */
  rows: string;
  /** Elements after the rows. */
  after?: string;
}

/** A workbook of sheets. @param shared the texts that cells of type `s` refer to. @param formats patterns of the styles from 1 */
export function writeXlsx(
  sheets: readonly Sheet[],
  shared: readonly string[] = [],
  formats: readonly string[] = [],
  others: readonly ZipEntry[] = [],
): Buffer {
  return writeZip([
    { name: '[Content_Types].xml', content: `${XML}${TYPES}` },
    {
      name: 'xl/workbook.xml',
      content: `${XML}<workbook><sheets>${sheets.map(({ name }, at) => `<sheet name="${name}" sheetId="${at + 1}" r:id="r${at}"/>`).join('')}</sheets></workbook>`,
    },
    relations(
      'xl/_rels/workbook.xml.rels',
      sheets.map((_, at) => [`r${at}`, 'worksheet', `worksheets/sheet${at}.xml`]),
    ),
    {
      name: 'xl/sharedStrings.xml',
      content: `${XML}<sst>${shared.map((text) => `<si>${text}</si>`).join('')}</sst>`,
    },
    {
      name: 'xl/styles.xml',
      content: `${XML}<styleSheet><numFmts>${formats.map((code, at) => `<numFmt numFmtId="${164 + at}" formatCode="${code}"/>`).join('')}</numFmts><cellXfs><xf numFmtId="0"/>${formats.map((_, at) => `<xf numFmtId="${164 + at}"/>`).join('')}</cellXfs></styleSheet>`,
    },
    ...sheets.map(({ rows, after = '' }, at) => ({
      name: `xl/worksheets/sheet${at}.xml`,
      content: `${XML}<worksheet><sheetData>${rows}</sheetData>${after}</worksheet>`,
    })),
    ...others,
  ]);
}

/** A presentation. @param slides the shapes of each, and its notes */
export function writePptx(
  slides: readonly { shapes: string; notes?: string }[],
  others: readonly ZipEntry[] = [],
): Buffer {
  return writeZip([
    { name: '[Content_Types].xml', content: `${XML}${TYPES}` },
    {
      name: 'ppt/presentation.xml',
      content: `${XML}<p:presentation><p:sldIdLst>${slides.map((_, at) => `<p:sldId id="${256 + at}" r:id="r${at}"/>`).join('')}</p:sldIdLst></p:presentation>`,
    },
    relations(
      'ppt/_rels/presentation.xml.rels',
      slides.map((_, at) => [`r${at}`, 'slide', `slides/slide${at}.xml`]),
    ),
    ...slides.flatMap(({ shapes, notes }, at): ZipEntry[] => [
      {
        name: `ppt/slides/slide${at}.xml`,
        content: `${XML}<p:sld><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:sld>`,
      },
      relations(`ppt/slides/_rels/slide${at}.xml.rels`, [
        ['c1', 'chart', '../charts/chart1.xml'],
        ...(notes === undefined ? [] : [['n1', 'notesSlide', `../notesSlides/notes${at}.xml`] as const]),
      ]),
      ...(notes === undefined
        ? []
        : [
            {
              name: `ppt/notesSlides/notes${at}.xml`,
              content: `${XML}<p:notes><p:cSld><p:spTree>${shape(notes, { placeholder: 'body' })}</p:spTree></p:cSld></p:notes>`,
            },
          ]),
    ]),
    ...others,
  ]);
}

/** A shape with text. @param paragraphs its text, or its `<a:p>` elements */
export function shape(
  paragraphs: string,
  { placeholder, x, y }: { placeholder?: string; x?: number; y?: number } = {},
): string {
  const ph = placeholder === undefined ? '' : `<p:ph type="${placeholder}"/>`;
  const place = x === undefined ? '' : `<a:xfrm><a:off x="${x}" y="${y}"/><a:ext cx="1" cy="1"/></a:xfrm>`;
  const body = paragraphs.startsWith('<a:p>') ? paragraphs : `<a:p><a:r><a:t>${paragraphs}</a:t></a:r></a:p>`;
  return `<p:sp><p:nvSpPr><p:nvPr>${ph}</p:nvPr></p:nvSpPr><p:spPr>${place}</p:spPr><p:txBody>${body}</p:txBody></p:sp>`;
}

/** A book. @param chapters XHTML by the name of the file, in the order of reading */
export function writeEpub(
  chapters: Readonly<Record<string, string>>,
  others: readonly ZipEntry[] = [],
): Buffer {
  const names = Object.keys(chapters);
  return writeZip([
    { name: 'mimetype', content: 'application/epub+zip' },
    {
      name: 'META-INF/container.xml',
      content: `${XML}<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>`,
    },
    {
      name: 'OPS/book.opf',
      content: `${XML}<package><metadata><dc:title>A Book</dc:title><dc:creator>Ada Reader</dc:creator></metadata><manifest>${names.map((name, at) => `<item id="c${at}" href="${name}"/>`).join('')}</manifest><spine>${names.map((_, at) => `<itemref idref="c${at}"/>`).join('')}<itemref idref="c0"/></spine></package>`,
    },
    ...Object.entries(chapters).map(([name, content]) => ({
      name: `OPS/${decodeURIComponent(name)}`,
      content,
    })),
    ...others,
  ]);
}
