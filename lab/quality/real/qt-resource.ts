import { readFileSync } from 'node:fs';
import { inflateSync } from 'node:zlib';

/** Bits of an entry. */
const COMPRESSED = 1;
const FOLDER = 2;

/** The files of a resource of Qt by their paths, as its `rcc` writes them. @throws Error for another file */
export function readQtResource(path: string): Map<string, Buffer> {
  const bytes = readFileSync(path);
  if (bytes.toString('latin1', 0, 4) !== 'qres') throw new Error(`${path} is no resource of Qt`);
  const [version = 0, tree = 0, data = 0, names = 0] = [4, 8, 12, 16].map((at) => bytes.readUInt32BE(at));
  // Later versions have the time of each file.
  const entryBytes = version < 2 ? 14 : 22;
  const files = new Map<string, Buffer>();
  visit(0, '');
  return files;

  function visit(index: number, folder: string): void {
    const entry = tree + index * entryBytes;
    const own = index === 0 ? folder : `${folder}/${nameAt(bytes.readUInt32BE(entry))}`;
    const flags = bytes.readUInt16BE(entry + 4);
    if (flags & FOLDER) {
      const [count, first] = [bytes.readUInt32BE(entry + 6), bytes.readUInt32BE(entry + 10)];
      for (let child = first; child < first + count; child++) visit(child, own);
      return;
    }
    const at = data + bytes.readUInt32BE(entry + 10);
    const content = bytes.subarray(at + 4, at + 4 + bytes.readUInt32BE(at));
    // Before the compressed bytes is their length when they are not.
    files.set(own, flags & COMPRESSED ? inflateSync(content.subarray(4)) : content);
  }

  function nameAt(offset: number): string {
    const at = names + offset;
    const length = bytes.readUInt16BE(at);
    return Buffer.from(bytes.subarray(at + 6, at + 6 + 2 * length))
      .swap16()
      .toString('utf16le');
  }
}
