import { buffer as readAll } from 'node:stream/consumers';
import { promisify } from 'node:util';
import yauzl, { type Entry, type ZipFile } from 'yauzl';
import { UnreadableDocument } from '../document-reader.ts';
import { LIMITS } from '../limits.ts';

const openZip = promisify<string, yauzl.Options, ZipFile>(yauzl.open);
const DOCUMENT = 'word/document.xml';
/** What is read; pictures, fonts and embedded files never are. */
const NEEDED = /^(?:\[Content_Types\]\.xml|_rels\/.*|docProps\/core\.xml|word\/[^/]*\.xml|word\/_rels\/.*)$/;
const MARGIN = /^word\/(header|footer)\d*\.xml$/;

/** What is read of a DOCX besides its text, as XML. */
export interface DocxParts {
  /** `docProps/core.xml`, if there is one. */
  core: string | undefined;
  headers: string[];
  footers: string[];
}

/**
 * Looks into a DOCX before anything unpacks it: how many parts it has, and how large they say they are. The needed parts
 * are unpacked once with their claims enforced, as a claim may lie.
 *
 * @throws UnreadableDocument
 */
export async function checkArchive(path: string): Promise<DocxParts> {
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
