import type { Archive } from '../../packages/reader/src/archive.ts';
import { docxPages } from '../../packages/reader/src/docx/docx-elements.ts';
import { readPackage } from '../../packages/reader/src/docx/docx-package.ts';
import type { FlowElement } from '../../packages/reader/src/flow/paginate.ts';
import { shown } from './elements.ts';

const OFFICE = 'http://schemas.openxmlformats.org';
const NAMESPACES = Object.entries({
  w: `${OFFICE}/wordprocessingml/2006/main`,
  m: `${OFFICE}/officeDocument/2006/math`,
  r: `${OFFICE}/officeDocument/2006/relationships`,
  a: `${OFFICE}/drawingml/2006/main`,
  c: `${OFFICE}/drawingml/2006/chart`,
  dgm: `${OFFICE}/drawingml/2006/diagram`,
  pic: `${OFFICE}/drawingml/2006/picture`,
  wp: `${OFFICE}/drawingml/2006/wordprocessingDrawing`,
  mc: `${OFFICE}/markup-compatibility/2006`,
  w14: 'http://schemas.microsoft.com/office/word/2010/wordml',
  v: 'urn:schemas-microsoft-com:vml',
})
  .map(([prefix, uri]) => `xmlns:${prefix}="${uri}"`)
  .join(' ');

/** Parts of a DOCX by the names of their files without ending, as the content of their root element. */
export type DocxParts = Readonly<Record<string, string>>;

/** The elements of the pages of a DOCX with this body. */
export async function readDocxPages(body: string, parts: DocxParts = {}): Promise<FlowElement[][]> {
  const files = new Map<string, string>([
    ['word/document.xml', `<w:document ${NAMESPACES}><w:body>${body}</w:body></w:document>`],
    [
      'word/_rels/document.xml.rels',
      `<Relationships xmlns="${OFFICE}/package/2006/relationships">${Object.keys(parts)
        .map(
          (name) =>
            `<Relationship Id="${name}" Type="${OFFICE}/officeDocument/2006/relationships/${name}" Target="${name}.xml"/>`,
        )
        .join('')}</Relationships>`,
    ],
    ...Object.entries(parts).map(([name, content]): [string, string] => [
      `word/${name}.xml`,
      `<w:part ${NAMESPACES}>${content}</w:part>`,
    ]),
  ]);
  const archive: Archive = {
    names: [...files.keys()],
    bytes: async (name) => Buffer.from(files.get(name) ?? ''),
    text: async (name) => files.get(name),
    notes: new Set(),
  };
  return docxPages(await readPackage(archive));
}

/** The same as `type: content` or with what its metadata says. */
export async function readDocx(body: string, parts: DocxParts = {}): Promise<string[][]> {
  const pages = await readDocxPages(body, parts);
  return pages.map((page) =>
    shown(page).map(
      ({ type, content, metadata: { level, role } }) => `${role ?? type}${level ?? ''}: ${content}`,
    ),
  );
}

export const paragraph = (content: string, properties = ''): string =>
  `<w:p><w:pPr>${properties}</w:pPr>${content}</w:p>`;
export const run = (text: string, properties = ''): string =>
  `<w:r><w:rPr>${properties}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
export const words = (text: string, properties = ''): string => paragraph(run(text), properties);
