import { buffer as readAll } from 'node:stream/consumers';
import { promisify } from 'node:util';
import mammoth from 'mammoth';
import yauzl, { type Entry, type ZipFile } from 'yauzl';
import { type OpenDocument, UnreadableDocument } from '../document-reader.ts';
import { flowDocument } from '../flow/flow-document.ts';
import type { FlowElement } from '../flow/paginate.ts';
import { cleanText } from '../layout/plain-text.ts';
import type { RunningRole } from '../layout/running-lines.ts';
import { LIMITS } from '../limits.ts';
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

const openZip = promisify<string, yauzl.Options, ZipFile>(yauzl.open);
const DOCUMENT = 'word/document.xml';
/** Parts that are read; images, fonts and embedded files never are. */
const NEEDED = /^(?:\[Content_Types\]\.xml|_rels\/.*|docProps\/core\.xml|word\/[^/]*\.xml|word\/_rels\/.*)$/;
const MARGIN = /^word\/(header|footer)\d*\.xml$/;

/** Parts of a DOCX besides its text, as XML. */
interface DocxParts {
  /** `docProps/core.xml`, if present. */
  core: string | undefined;
  headers: string[];
  footers: string[];
}

/**
 * Checks a DOCX before it is unpacked: number of parts and their claimed sizes. The needed parts are unpacked once with
 * their claimed sizes enforced, as they may be false.
 *
 * @throws UnreadableDocument
 */
async function checkArchive(path: string): Promise<DocxParts> {
  const zip = await openZip(path, { lazyEntries: true, autoClose: false, validateEntrySizes: true }).catch(
    (cause: unknown) => {
      throw new UnreadableDocument('damaged', 'The document is damaged or not a DOCX.', { cause });
    },
  );
  try {
    if (zip.entryCount > LIMITS.archiveEntries)
      throw new UnreadableDocument('too_large', `The document has ${zip.entryCount} parts.`);
    const needed = (await entriesOf(zip)).filter(({ fileName }) => NEEDED.test(fileName));
    if (!needed.some(({ fileName }) => fileName === DOCUMENT))
      throw new UnreadableDocument('damaged', 'The document is a ZIP archive, but not a DOCX.');
    const inflated = needed.reduce((sum, entry) => sum + entry.uncompressedSize, 0);
    if (inflated > LIMITS.inflatedBytes)
      throw new UnreadableDocument('too_large', `The text of the document has ${inflated} bytes unpacked.`);
    const parts: DocxParts = { core: undefined, headers: [], footers: [] };
    for (const entry of needed) {
      const bytes = await inflate(zip, entry);
      const margin = MARGIN.exec(entry.fileName)?.[1];
      if (entry.fileName === 'docProps/core.xml') parts.core = bytes.toString('utf8');
      else if (margin === 'header') parts.headers.push(bytes.toString('utf8'));
      else if (margin === 'footer') parts.footers.push(bytes.toString('utf8'));
    }
    return parts;
  } catch (cause) {
    if (cause instanceof UnreadableDocument) throw cause;
    throw new UnreadableDocument('damaged', 'The document is damaged.', { cause });
  } finally {
    zip.close();
  }
}

function entriesOf(zip: ZipFile): Promise<Entry[]> {
  const { promise, resolve, reject } = Promise.withResolvers<Entry[]>();
  const entries: Entry[] = [];
  zip.on('entry', (entry: Entry) => {
    entries.push(entry);
    zip.readEntry();
  });
  zip.once('end', () => resolve(entries));
  zip.once('error', reject);
  zip.readEntry();
  return promise;
}

async function inflate(zip: ZipFile, entry: Entry): Promise<Buffer> {
  if (entry.isEncrypted()) throw new UnreadableDocument('encrypted', 'The document is encrypted.');
  const stream = await promisify<Entry, NodeJS.ReadableStream>(zip.openReadStream.bind(zip))(entry);
  return readAll(stream);
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
