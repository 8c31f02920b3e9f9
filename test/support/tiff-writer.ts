/** A page of a TIFF. */
export interface TiffPage {
  width: number;
  height: number;
  /** A byte for each pixel. */
  grey: Uint8Array;
  dpi?: number;
  /** The value of NewSubfileType: 1 for a smaller copy of another page. */
  subfile?: number;
}

const SHORT = 3;
const LONG = 4;
const RATIONAL = 5;
const HEADER = 8;

/** An uncompressed TIFF, little-endian. @param endless whether the last directory names the first as the next */
export function writeTiff(pages: readonly TiffPage[], { endless = false } = {}): Buffer {
  const parts: Buffer[] = [];
  let offset = HEADER;
  for (const [at, { width, height, grey, dpi = 200, subfile = 2 }] of pages.entries()) {
    const tags: [tag: number, type: number, value: number][] = [
      [254, LONG, subfile],
      [256, LONG, width],
      [257, LONG, height],
      [258, SHORT, 8],
      [259, SHORT, 1],
      [262, SHORT, 1],
      [273, LONG, 0],
      [277, SHORT, 1],
      [278, LONG, height],
      [279, LONG, grey.length],
      [282, RATIONAL, 0],
      [283, RATIONAL, 0],
      [296, SHORT, 2],
    ];
    const size = 2 + tags.length * 12 + 4;
    const block = Buffer.alloc(size + 8);
    const end = offset + block.length + grey.length;
    block.writeUInt16LE(tags.length, 0);
    for (const [index, [tag, type, value]] of tags.entries()) {
      const entry = 2 + index * 12;
      block.writeUInt16LE(tag, entry);
      block.writeUInt16LE(type, entry + 2);
      block.writeUInt32LE(1, entry + 4);
      const written = type === RATIONAL ? offset + size : tag === 273 ? offset + block.length : value;
      if (type === SHORT) block.writeUInt16LE(written, entry + 8);
      else block.writeUInt32LE(written, entry + 8);
    }
    block.writeUInt32LE(at < pages.length - 1 ? end : endless ? HEADER : 0, size - 4);
    block.writeUInt32LE(dpi, size);
    block.writeUInt32LE(1, size + 4);
    parts.push(block, Buffer.from(grey));
    offset = end;
  }
  const header = Buffer.from('II*\0\0\0\0\0', 'latin1');
  header.writeUInt32LE(HEADER, 4);
  return Buffer.concat([header, ...parts]);
}
