import type { ExifFacts } from '../../domain/image-analysis.ts';
import { readExif, type ExifTags } from './exif-tags.ts';
import { takenAt, type WrittenElsewhere } from './taken-at.ts';

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
