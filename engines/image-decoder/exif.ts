import type { ExifFacts } from '../../domain/image-analysis.ts';
import { readExif, type ExifTags } from './exif-tags.ts';
import type { Metadata } from 'sharp';
import { firstMoment, type WrittenDate } from '../moments.ts';

/**
 * The safe and useful fields of an EXIF block, of a corrupt one the valid ones; and the date, which may be elsewhere.
 *
 * @param block see `readExif`
 */
export function exifFacts(block: Uint8Array, elsewhere: WrittenElsewhere = {}): ExifFacts {
  const tags = readExif(block);
  return withoutAbsent({
    takenAt: takenAt(tags, elsewhere),
    camera: camera(tags),
    lens: text(tags.lensModel),
    iso: positive(tags.iso),
    exposureSeconds: positive(tags.exposureTime),
    aperture: positive(tags.fNumber),
    focalLengthMm: positive(tags.focalLength),
  });
}

/** Most makers repeat their name in the model, which then suffices. */
function camera({ make, model }: ExifTags): string | undefined {
  const maker = text(make);
  const name = text(model);
  if (!maker || !name) return name ?? maker;
  return name.toLowerCase().startsWith(maker.toLowerCase()) ? name : `${maker} ${name}`;
}

/** Up to the first NUL, without control characters, which text columns may reject. */
function text(value: string | number | undefined): string | undefined {
  if (typeof value !== 'string') return undefined;
  const [upToNul = ''] = value.split('\0');
  return upToNul.replaceAll(/\p{Cc}/gu, '').trim() || undefined;
}

function positive(value: string | number | undefined): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : undefined;
}

function withoutAbsent(facts: { [K in keyof ExifFacts]: ExifFacts[K] | undefined }): ExifFacts {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}

/** The parts of an image beside EXIF that tell when it was taken. */
type WrittenElsewhere = Pick<Metadata, 'xmp' | 'iptc' | 'comments'>;

/**
 * When an image was taken, from the first possible date: as the camera wrote it, then as a scanner or editor did, and
 * last the date of the file's last change. ISO 8601, UTC if there is no zone.
 */
function takenAt(exif: ExifTags, { xmp, iptc, comments = [] }: WrittenElsewhere): string | undefined {
  const packet = Buffer.from(xmp ?? []).toString('utf8', 0, MOST_BYTES);
  const creationTime = comments.find(({ keyword }) => keyword === 'Creation Time');
  return firstMoment([
    { text: textOf(exif.dateTimeOriginal), zone: textOf(exif.offsetTimeOriginal) },
    inXmp(packet, 'exif:DateTimeOriginal'),
    { text: textOf(exif.dateTimeDigitized), zone: textOf(exif.offsetTimeDigitized) },
    inXmp(packet, 'photoshop:DateCreated'),
    inXmp(packet, 'xmp:CreateDate'),
    inIptc(Buffer.from(iptc ?? [])),
    { text: creationTime?.text.slice(0, 100) },
    { text: textOf(exif.dateTime), zone: textOf(exif.offsetTime) },
  ]);
}

const MOST_BYTES = 2 ** 18;

function textOf(value: string | number | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A property is an attribute or an element. */
function inXmp(packet: string, name: string): WrittenDate {
  const at = packet.indexOf(name);
  const [, text] = /^\s*(?:=\s*["']|>)([^"'<]{0,40})/.exec(packet.slice(at + name.length).slice(0, 80)) ?? [];
  return { text: at < 0 ? undefined : text };
}

/** Date and time created, datasets 2:55 and 2:60 of IPTC-IIM: `20240704` and `120000+0200`. */
function inIptc(block: Buffer): WrittenDate {
  const dataset = (number: number, length: number) => {
    const at = block.indexOf(Buffer.of(0x1c, 2, number, 0, length));
    return at < 0 ? '' : block.toString('latin1', at + 5, at + 5 + length);
  };
  return { text: `${dataset(55, 8)} ${dataset(60, 11)}` };
}
