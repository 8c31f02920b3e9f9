import { writeZip, type ZipEntry } from './zip-writer.ts';

const XML = '<?xml version="1.0" encoding="UTF-8"?>';
const NAMESPACES = [
  'office',
  'text',
  'table',
  'draw',
  'style',
  'fo',
  'svg',
  'presentation',
  'form',
  'dc',
  'meta',
  'xlink',
]
  .map((prefix) => `xmlns:${prefix}="urn:${prefix}"`)
  .join(' ');

type Kind = 'text' | 'spreadsheet' | 'presentation';

/** A document, a workbook or a presentation of OpenDocument. @param styles of the content. @param named those of `styles.xml` */
export function writeOpenDocument(
  kind: Kind,
  body: string,
  { styles = '', named = '', others = [] as readonly ZipEntry[] } = {},
): Buffer {
  return writeZip([
    { name: 'mimetype', content: `application/vnd.oasis.opendocument.${kind}` },
    {
      name: 'content.xml',
      content: `${XML}<office:document-content ${NAMESPACES}><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document-content>`,
    },
    {
      name: 'styles.xml',
      content: `${XML}<office:document-styles ${NAMESPACES}>${named}</office:document-styles>`,
    },
    {
      name: 'meta.xml',
      content: `${XML}<office:document-meta ${NAMESPACES}><office:meta><dc:title>The mill</dc:title><dc:creator>A. Carpenter</dc:creator><meta:creation-date>2024-05-06T07:08:09</meta:creation-date></office:meta></office:document-meta>`,
    },
    ...others,
  ]);
}
