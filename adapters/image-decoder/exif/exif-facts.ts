import type { ExifFacts } from '../../../domain/image-facts.ts';
import { readExif, type ExifTags } from './read-exif.ts';

/** The safe and useful fields of an EXIF block; of a corrupt block, those that are still valid. */
export function exifFacts(block: Uint8Array): ExifFacts {
  const tags = readExif(block);
  return withoutAbsent({
    takenAt: takenAt(tags),
    camera: camera(tags),
    lens: text(tags.lensModel),
    iso: positive(tags.iso),
    exposureSeconds: positive(tags.exposureTime),
    aperture: positive(tags.fNumber),
    focalLengthMm: positive(tags.focalLength),
  });
}

/** EXIF stores `2024:05:17 09:30:00`, and the zone, if any, as `+02:00` in a separate tag. */
function takenAt({ dateTimeOriginal, offsetTimeOriginal }: ExifTags): string | undefined {
  const [, date, time] = /^(\d{4}:\d{2}:\d{2}) (\d{2}:\d{2}:\d{2})/.exec(text(dateTimeOriginal) ?? '') ?? [];
  if (!date || !time) return undefined;
  const zone = /^[+-]\d{2}:\d{2}$/.exec(text(offsetTimeOriginal) ?? '')?.[0] ?? 'Z';
  const moment = new Date(`${date.replaceAll(':', '-')}T${time}${zone}`);
  const year = moment.getUTCFullYear();
  return year >= 1800 && year <= 2200 ? moment.toISOString() : undefined;
}

/** Most makers repeat their name in the model, which is then enough. */
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
