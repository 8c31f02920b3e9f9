/** A box of the ISO base media file format, to which MP4, QuickTime, AVIF and HEIC belong. */
export interface Box {
  type: string;
  /** Offsets of its content. */
  start: number;
  end: number;
}

/** The boxes one after the other from `start`; one that claims more than there is ends with the bytes. */
export function boxesIn(bytes: Buffer, start = 0, end = bytes.length): Box[] {
  const boxes: Box[] = [];
  for (let at = start; at + 8 <= end && boxes.length < MOST_BOXES;) {
    const short = bytes.readUInt32BE(at);
    const isLong = short === 1 && at + 16 <= end;
    const size = isLong ? Number(bytes.readBigUInt64BE(at + 8)) : short || end - at;
    const header = isLong ? 16 : 8;
    if (size < header) break;
    const type = bytes.toString('latin1', at + 4, at + 8);
    boxes.push({ type, start: at + header, end: Math.min(end, at + size) });
    at += size;
  }
  return boxes;
}

const MOST_BOXES = 10_000;

/** The first box at a path of types, within another or in the whole file. */
export function findBox(bytes: Buffer, path: readonly string[], within?: Box): Box | undefined {
  let found = within;
  for (const type of path) {
    // This one has a version and flags before its boxes.
    const start = found?.type === 'meta' ? found.start + 4 : found?.start;
    found = boxesIn(bytes, start, found?.end).find((box) => box.type === type);
    if (!found) return undefined;
  }
  return found;
}
