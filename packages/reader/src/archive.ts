/** Opens the ZIP archives that DOCX, XLSX, PPTX and EPUB are, within limits. */
import { buffer as readAll } from 'node:stream/consumers';
import { promisify } from 'node:util';
import yauzl, { type Entry, type ZipFile } from 'yauzl';
import { UnreadableDocument } from './opened-document.ts';
import { LIMITS } from './limits.ts';
import { decodeMarkup } from './text/decode-text.ts';

/** The needed parts of an open archive. */
export interface Archive {
  /** In the order of the archive, each once. */
  names: readonly string[];
  /** Unpacks a part, if present. @throws UnreadableDocument */
  bytes: (name: string) => Promise<Buffer | undefined>;
  /** A part of XML or HTML as text. @throws UnreadableDocument */
  text: (name: string) => Promise<string | undefined>;
  /** What its readers should know: of encodings, of parts that were not read. Readers add theirs. */
  notes: Set<string>;
}

export interface ArchiveKind {
  /** For messages: `DOCX`. */
  name: string;
  /** Parts that are read; the others are never unpacked. */
  needed: Pick<RegExp, 'test'>;
  /** A part without which the archive is something else. */
  main: string | Pick<RegExp, 'test'>;
}

const openZip = promisify<string, yauzl.Options, ZipFile>(yauzl.open);

/**
 * Opens an archive for as long as `use` takes. Checked before anything is unpacked: the number of parts, and the sizes
 * that the needed ones claim; the claims are enforced as parts are unpacked, since they may be false.
 *
 * @throws UnreadableDocument
 */
export async function withArchive<T>(
  path: string,
  { name: kind, needed, main }: ArchiveKind,
  use: (archive: Archive) => Promise<T>,
): Promise<T> {
  const damaged = (cause: unknown): never => {
    if (cause instanceof UnreadableDocument) throw cause;
    throw new UnreadableDocument('damaged', `The document is damaged or not of the type ${kind}.`, { cause });
  };
  const zip = await openZip(path, { lazyEntries: true, autoClose: false, validateEntrySizes: true }).catch(
    damaged,
  );
  try {
    if (zip.entryCount > LIMITS.archiveEntries)
      throw new UnreadableDocument('too_large', `The document has ${zip.entryCount} parts.`);
    const all = await entriesOf(zip).catch(damaged);
    const entries = new Map(
      all.filter(({ fileName }) => needed.test(fileName)).map((entry) => [entry.fileName, entry]),
    );
    const names = [...entries.keys()];
    if (!names.some((name) => (typeof main === 'string' ? name === main : main.test(name))))
      throw new UnreadableDocument('damaged', `The document is a ZIP archive, but not of the type ${kind}.`);
    const inflated = [...entries.values()].reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0);
    if (inflated > LIMITS.inflatedBytes)
      throw new UnreadableDocument('too_large', `The text of the document has ${inflated} bytes unpacked.`);
    const bytes = async (name: string): Promise<Buffer | undefined> => {
      const entry = entries.get(name);
      return entry && (await inflate(zip, entry).catch(damaged));
    };
    const notes = new Set<string>();
    const text = async (name: string): Promise<string | undefined> => {
      const part = await bytes(name);
      if (!part) return undefined;
      const { text: decoded, note } = decodeMarkup(part);
      if (note !== undefined) notes.add(note);
      return decoded;
    };
    return await use({ names, bytes, text, notes });
  } finally {
    zip.close();
  }
}

/** Unpacks one part of an archive, such as a picture. @throws UnreadableDocument */
export async function partOf(path: string, name: string): Promise<Uint8Array | undefined> {
  const needed = { test: (each: string) => each === name };
  return withArchive(path, { name: 'ZIP', needed, main: name }, (archive) => archive.bytes(name));
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
