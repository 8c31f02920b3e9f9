/** An item of a HEIF file: a coded picture, a grid of others, or metadata. */
export interface HeifItem {
  type: 'hvc1' | 'av01' | 'grid' | 'Exif';
  data: Uint8Array;
  /** Whole boxes that describe it. */
  properties?: readonly Buffer[];
  /** Its relation to other items, by their places in the list, which begin with 1. */
  reference?: { type: 'dimg' | 'auxl' | 'cdsc' | 'thmb'; to: readonly number[] };
}

export function box(type: string, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([u32(body.length + 8), Buffer.from(type, 'latin1'), body]);
}

export function fullBox(type: string, version: number, ...content: readonly Uint8Array[]): Buffer {
  return box(type, u32(version * 2 ** 24), ...content);
}

export function u16(...values: readonly number[]): Buffer {
  return Buffer.concat(values.map((value) => Buffer.of(value >> 8, value & 255)));
}

export function u32(...values: readonly number[]): Buffer {
  return Buffer.concat(values.map((value) => u16(Math.floor(value / 65_536), value % 65_536)));
}

export function imageSize(width: number, height: number): Buffer {
  return fullBox('ispe', 0, u32(width, height));
}

/** Colours by code points. */
export function nclx(primaries: number, transfer: number, matrix: number, isFull = true): Buffer {
  return box('colr', Buffer.from('nclx'), u16(primaries, transfer, matrix), Buffer.of(isFull ? 0x80 : 0));
}

export function iccProfile(profile: Uint8Array): Buffer {
  return box('colr', Buffer.from('prof'), profile);
}

/** A HEIF file whose first item is the primary one. */
export function writeHeif(items: readonly HeifItem[], brands: readonly string[]): Buffer {
  const properties = items.flatMap(({ properties: own = [] }) => own);
  const [major = 'heic'] = brands;
  const fileType = box('ftyp', Buffer.from(major), u32(0), ...brands.map((brand) => Buffer.from(brand)));
  const handler = fullBox('hdlr', 0, u32(0), Buffer.from('pict'), Buffer.alloc(13));
  const tiles = items.flatMap(({ type, reference }) => (type === 'grid' ? (reference?.to ?? []) : []));
  const infos = items.map(({ type }, at) => {
    const isHidden = type !== 'Exif' && tiles.includes(at + 1);
    return box('infe', Buffer.of(2, 0, 0, Number(isHidden)), u16(at + 1, 0), Buffer.from(type), Buffer.of(0));
  });
  const associations = items.map(({ properties: own = [] }, at) => {
    const places = own.map((each) => properties.indexOf(each) + 1);
    return Buffer.concat([u16(at + 1), Buffer.of(places.length), Buffer.from(places)]);
  });
  const references = items.flatMap(({ reference }, at) =>
    reference ? [box(reference.type, u16(at + 1, reference.to.length, ...reference.to))] : [],
  );
  const metaWith = (offset: number) => {
    let at = offset;
    const locations = items.map(({ data }, index) => {
      const location = Buffer.concat([u16(index + 1, 0, 1), u32(at, data.length)]);
      at += data.length;
      return location;
    });
    return fullBox(
      'meta',
      0,
      handler,
      fullBox('pitm', 0, u16(1)),
      fullBox('iloc', 0, Buffer.of(0x44, 0), u16(items.length), ...locations),
      fullBox('iinf', 0, u16(items.length), ...infos),
      ...(references.length > 0 ? [fullBox('iref', 0, ...references)] : []),
      box('iprp', box('ipco', ...properties), fullBox('ipma', 0, u32(items.length), ...associations)),
    );
  };
  const dataAt = fileType.length + metaWith(0).length + 8;
  return Buffer.concat([fileType, metaWith(dataAt), box('mdat', ...items.map(({ data }) => data))]);
}
