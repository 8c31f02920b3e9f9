import { buffer as readAll } from 'node:stream/consumers';
import { promisify } from 'node:util';
import yauzl, { type Entry, type Options, type ZipFile } from 'yauzl';
import yazl from 'yazl';

export interface ZipEntry {
  name: string;
  content: Uint8Array;
}

const open = promisify<Buffer, Options, ZipFile>(yauzl.fromBuffer);

/** The entries of a valid archive, without folders. */
export async function readEntries(archive: Uint8Array): Promise<ZipEntry[]> {
  const zip = await open(Buffer.from(archive), { lazyEntries: true });
  const openEntry = promisify<Entry, NodeJS.ReadableStream>(zip.openReadStream.bind(zip));
  const entries: ZipEntry[] = [];
  return new Promise((resolve, reject) => {
    zip.on('error', reject);
    zip.on('end', () => resolve(entries));
    zip.on('entry', (entry: Entry) => {
      openEntry(entry)
        .then(readAll)
        .then((content) => {
          if (!entry.fileName.endsWith('/')) entries.push({ name: entry.fileName, content });
          zip.readEntry();
        })
        .catch(reject);
    });
    zip.readEntry();
  });
}

export function writeEntries(entries: readonly ZipEntry[]): Promise<Buffer> {
  const zip = new yazl.ZipFile();
  for (const { name, content } of entries) zip.addBuffer(Buffer.from(content), name, { mtime: new Date(0) });
  zip.end();
  return readAll(zip.outputStream);
}
