import mammoth from 'mammoth';
import { withArchive } from '../archive.ts';
import { type OpenDocument, UnreadableDocument } from '../document-reader.ts';
import { flowDocument } from '../flow/flow-document.ts';
import type { FlowElement } from '../flow/paginate.ts';
import { cleanText } from '../layout/plain-text.ts';
import type { RunningRole } from '../layout/running-lines.ts';
import { docxPages } from './docx-elements.ts';
import { type DocxRoot, unescapeXml } from './docx-nodes.ts';

/** @throws UnreadableDocument */
export async function openDocx(path: string): Promise<OpenDocument> {
  const { core, headers, footers } = await checkArchive(path);
  const pages = docxPages(await readRoot(path));
  // The layout program decides which pages show them, so they are added to the first.
  pages[0]?.unshift(...marginElements(headers, 'page_header'));
  pages.at(-1)?.push(...marginElements(footers, 'page_footer'));
  return flowDocument({
    pages,
    title: property(core, 'dc:title'),
    author: property(core, 'dc:creator'),
    createdAt: dateOf(property(core, 'dcterms:created')),
  });
}

/** The document model that mammoth passes to its transforms; its HTML is not used. */
async function readRoot(path: string): Promise<DocxRoot> {
  let root: DocxRoot | undefined;
  try {
    await mammoth.convertToHtml(
      { path },
      {
        transformDocument: (document: DocxRoot) => {
          root = document;
          return { ...document, children: [] };
        },
        externalFileAccess: false,
      },
    );
  } catch (cause) {
    throw new UnreadableDocument('damaged', 'The document is damaged or not a DOCX.', { cause });
  }
  if (!root) throw new UnreadableDocument('damaged', 'The document has no content.');
  return root;
}

/** Finds a name in a small document of known form, without a parser. */
function property(core: string | undefined, name: string): string | null {
  const [, ...elements] = (core ?? '').split(`<${name}`);
  const text = elements.map((element) => CONTENT.exec(element)?.[1]?.trim()).find(Boolean);
  return text ? cleanText(unescapeXml(text)) : null;
}

/** Content of an element, from the end of its name. */
const CONTENT = /^(?:\s[^>]*)?>([^<]{1,500})<\//;

function dateOf(text: string | null): string | null {
  const date = new Date(text ?? '');
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

const DOCX = {
  name: 'DOCX',
  /** Images, fonts and embedded files are never unpacked. */
  needed: /^(?:\[Content_Types\]\.xml|_rels\/.*|docProps\/core\.xml|word\/[^/]*\.xml|word\/_rels\/.*)$/,
  main: 'word/document.xml',
};
const MARGIN = /^word\/(header|footer)\d*\.xml$/;

/** Parts of a DOCX besides its text, as XML. */
interface DocxParts {
  core: string | undefined;
  headers: string[];
  footers: string[];
}

/** Unpacks the needed parts once, within limits, before mammoth does. */
function checkArchive(path: string): Promise<DocxParts> {
  return withArchive(path, DOCX, async ({ names, text }) => {
    const parts: DocxParts = { core: undefined, headers: [], footers: [] };
    for (const name of names) {
      const xml = (await text(name)) ?? '';
      const margin = MARGIN.exec(name)?.[1];
      if (name === 'docProps/core.xml') parts.core = xml;
      else if (margin === 'header') parts.headers.push(xml);
      else if (margin === 'footer') parts.footers.push(xml);
    }
    return parts;
  });
}

/** Text, tabs, breaks and paragraph ends. Field instructions are not text. */
const PART = /<w:t(?:\s[^<>]*)?>([^<]*)<\/w:t>|<w:(tab|br|cr)(?:\s[^<>]*)?\/>|<\/w:(p)>/g;

/** Headers or footers of a DOCX, which mammoth does not read: each line once, even if several sections have it. */
export function marginElements(parts: readonly string[], role: RunningRole): FlowElement[] {
  const lines = new Set(parts.flatMap(linesOf));
  return lines.size > 0 ? [{ type: 'paragraph', content: [...lines].join('\n'), metadata: { role } }] : [];
}

function linesOf(xml: string): string[] {
  const pieces = [...xml.matchAll(PART)].map(([, text, space, end]) => {
    if (end !== undefined) return '\n';
    return space === undefined ? unescapeXml(text ?? '') : space === 'tab' ? '\t' : '\n';
  });
  return cleanText(pieces.join(''))
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
