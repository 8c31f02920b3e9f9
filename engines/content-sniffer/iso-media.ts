import { boxesIn } from '../boxes.ts';
import { primaryItem } from '../heif-items.ts';

/** Boxes with which QuickTime files without a file type begin. */
const QUICKTIME_BOXES = ['moov', 'mdat', 'wide', 'free', 'skip', 'pnot', 'udta', 'PICT'];
const STILL_BRANDS = /^(avi[fs]|he[iv][a-z]|mi[af][0-9f]|msf1)$/;
const AUDIO_BRANDS = ['M4A ', 'M4B ', 'M4P ', 'F4A ', 'F4B '];
const CANON_RAW = 'crx ';
const CODINGS: Readonly<Record<string, string>> = {
  av01: 'image/avif',
  hvc1: 'image/heic',
  hev1: 'image/heic',
};

/**
 * The type of a file of boxes: MP4, QuickTime, AVIF, HEIC. Of a picture, its coding decides; brands only if the index is
 * beyond the leading bytes.
 *
 * @returns undefined for other files
 */
export function isoMediaType(leading: Uint8Array): string | undefined {
  const head = Buffer.from(leading.buffer, leading.byteOffset, leading.byteLength);
  const [first, ...others] = boxesIn(head);
  if (first?.type !== 'ftyp') {
    const isKnown = first && [first, ...others].every(({ type }) => QUICKTIME_BOXES.includes(type));
    return isKnown ? 'video/quicktime' : undefined;
  }
  const brands: string[] = [];
  for (let at = first.start; at + 4 <= first.end; at += at === first.start ? 8 : 4) {
    brands.push(head.toString('latin1', at, at + 4));
  }
  const [major = ''] = brands;
  if (STILL_BRANDS.test(major) || (brands.some((brand) => STILL_BRANDS.test(brand)) && !hasMovie(others))) {
    return pictureType(head, brands);
  }
  if (major === CANON_RAW) return 'image/x-canon-cr3';
  if (AUDIO_BRANDS.includes(major)) return 'audio/mp4';
  return major === 'qt  ' ? 'video/quicktime' : 'video/mp4';
}

function hasMovie(boxes: readonly { type: string }[]): boolean {
  return boxes.some(({ type }) => type === 'moov' || type === 'mdat');
}

function pictureType(head: Buffer, brands: readonly string[]): string {
  const coding = primaryItem(head)?.coding;
  if (coding !== undefined) return CODINGS[coding] ?? 'image/heif';
  if (brands.some((brand) => brand.startsWith('avi'))) return 'image/avif';
  return brands.some((brand) => /^he[iv]/.test(brand)) ? 'image/heic' : 'image/heif';
}
