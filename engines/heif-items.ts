import { boxesIn, findBox, type Box } from './boxes.ts';

/** The picture that a HEIF file shows. */
export interface PrimaryItem {
  /** How its pixels are coded: `hvc1`, `av01`, `jpeg` and others; of a grid, its tiles. */
  coding: string;
  /** Its `colr` properties, or those of its tiles. */
  colours: Box[];
}

/** @returns undefined without an index of items; one that is cut off is read as far as it goes */
export function primaryItem(bytes: Buffer): PrimaryItem | undefined {
  const meta = findBox(bytes, ['meta']);
  if (!meta) return undefined;
  const index = { bytes, meta };
  const id = primaryId(index);
  const types = itemTypes(index);
  // A grid, an overlay or a rotated copy of other items.
  const parts = [id, ...itemsUsedBy(index, id)];
  const coded = parts.map((part) => types.get(part)).find((type) => type && !DERIVED.includes(type));
  // The index of a large grid may be cut off before its references.
  const coding = coded ?? [...types.values()].find((type) => !DERIVED.includes(type));
  const colours = parts.map((part) => coloursOf(index, part)).find((found) => found.length > 0);
  return coding === undefined ? undefined : { coding, colours: colours ?? [] };
}

const DERIVED = ['grid', 'iovl', 'iden', 'tmap', 'Exif', 'mime', 'uri '];

interface ItemIndex {
  bytes: Buffer;
  meta: Box;
}

/** Reads numbers one after the other; those beyond the end are zero. */
function readerOf({ bytes }: ItemIndex, { start, end }: Box) {
  let at = start + 4;
  const version = bytes[start] ?? 0;
  const flags = bytes[start + 3] ?? 0;
  const number = (size: 1 | 2 | 4): number => {
    const value = at + size <= end ? bytes.readUIntBE(at, size) : 0;
    at += size;
    return value;
  };
  return { version, flags, number, place: () => at, isAtEnd: () => at >= end };
}

function primaryId(index: ItemIndex): number {
  const box = findBox(index.bytes, ['pitm'], index.meta);
  if (!box) return 0;
  const read = readerOf(index, box);
  return read.number(read.version === 0 ? 2 : 4);
}

function itemTypes(index: ItemIndex): Map<number, string> {
  const { bytes, meta } = index;
  const types = new Map<number, string>();
  const box = findBox(bytes, ['iinf'], meta);
  if (!box) return types;
  const count = bytes[box.start] === 0 ? 2 : 4;
  for (const entry of boxesIn(bytes, box.start + 4 + count, box.end)) {
    const read = readerOf(index, entry);
    if (entry.type !== 'infe' || read.version < 2) continue;
    const id = read.number(read.version === 2 ? 2 : 4);
    read.number(2);
    types.set(id, bytes.toString('latin1', read.place(), read.place() + 4));
  }
  return types;
}

function itemsUsedBy(index: ItemIndex, id: number): number[] {
  const box = findBox(index.bytes, ['iref'], index.meta);
  if (!box) return [];
  const size = index.bytes[box.start] === 0 ? 2 : 4;
  for (const { type, start, end } of boxesIn(index.bytes, box.start + 4, box.end)) {
    if (type !== 'dimg' || start + size * 2 > end || index.bytes.readUIntBE(start, size) !== id) continue;
    const first = start + size + 2;
    const count = Math.min(index.bytes.readUInt16BE(start + size), Math.floor((end - first) / size));
    return Array.from({ length: count }, (_, at) => index.bytes.readUIntBE(first + at * size, size));
  }
  return [];
}

function coloursOf(index: ItemIndex, id: number): Box[] {
  const { bytes, meta } = index;
  const container = findBox(bytes, ['iprp', 'ipco'], meta);
  const box = findBox(bytes, ['iprp', 'ipma'], meta);
  if (!container || !box) return [];
  const properties = boxesIn(bytes, container.start, container.end);
  const read = readerOf(index, box);
  for (let entries = read.number(4); entries > 0 && !read.isAtEnd(); entries -= 1) {
    const item = read.number(read.version === 0 ? 2 : 4);
    const places: number[] = [];
    for (let count = read.number(1); count > 0; count -= 1) {
      places.push(read.flags & 1 ? read.number(2) & 0x7fff : read.number(1) & 0x7f);
    }
    if (item !== id) continue;
    const own = places.map((place) => properties[place - 1]);
    return own.filter((property) => property?.type === 'colr').filter((property) => property !== undefined);
  }
  return [];
}
