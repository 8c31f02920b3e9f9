/** The module of the thread that sees what is in images. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Sharp } from 'sharp';
import type { DetectedObject, VariantType } from '../../../domain/image-analysis.ts';
import type { Numbered } from '../../../engines/hosts/call-host.ts';
import { openSession, openOnce } from '../../../engines/onnx/session.ts';
import { readVariant } from '../read-variant.ts';
import { findObjects } from './find-objects.ts';
import { nameClasses, type Classes } from './image-classes.ts';

export interface SightRequest {
  /** Folders of the models. */
  classes: string;
  objects: string;
  image: Uint8Array;
  variant: VariantType;
}

/** What was seen in an image. */
export interface Seen extends Classes {
  /** Also unlikely ones, surest first. */
  objects: DetectedObject[];
  /** Of the 1,000 classes in their order. */
  probabilities: Float32Array;
  /** 1,280 numbers that are alike for images of like content. */
  features: Float32Array;
}
/** `seen` is null for an image that cannot be read. */
export type SightReply = { seen: Seen | null } | { error: string };

const CLASS_SIDE = 260;
/** The classifier was trained on the middle of images, which is this share of their sides. */
const MIDDLE = 0.875;
const CLASSES = 1000;
const OBJECT_SIDE = 300;
const LEAST_SCORE = 0.1;

const classifier = openOnce(openSession);
const detector = openOnce(async (folder: string) => ({
  session: await openSession(folder),
  anchors: new Float32Array(new Uint8Array(readFileSync(join(folder, 'anchors'))).buffer),
}));

export async function handle({ id, value }: Numbered<SightRequest>): Promise<Numbered<SightReply>> {
  return { id, value: await answer(value).catch((error: unknown) => ({ error: String(error) })) };
}

async function answer(request: SightRequest): Promise<SightReply> {
  const { classes, objects, image, variant } = request;
  const view = (side: number, fit: 'cover' | 'fill') =>
    readVariant(image, variant, (read: Sharp) =>
      read.resize(side, side, { fit, kernel: 'cubic' }).raw().toBuffer(),
    );
  const large = Math.round(CLASS_SIDE / MIDDLE);
  const middle = await readVariant(image, variant, (read) =>
    read.resize(large, large, { fit: 'cover', kernel: 'cubic' }).raw().toBuffer(),
  );
  if (!middle) return { seen: null };
  const classify = async (pixels: Uint8Array, side: number) => {
    const session = await classifier(classes);
    return session.run(
      toPlanes(pixels, side, CLASS_SIDE, (value) => (value - 127) / 128),
      [1, 3, CLASS_SIDE, CLASS_SIDE],
    );
  };
  const ofMiddle = await classify(middle, large);
  const features = ofMiddle.slice(CLASSES);
  const ofWhole = await classify((await view(CLASS_SIDE, 'fill')) ?? new Uint8Array(), CLASS_SIDE);
  const probabilities = ofWhole.slice(0, CLASSES).map((value, at) => (value + (ofMiddle[at] ?? 0)) / 2);

  const { session, anchors } = await detector(objects);
  const pixels = (await view(OBJECT_SIDE, 'fill')) ?? new Uint8Array();
  const found = await session.run(
    toPlanes(pixels, OBJECT_SIDE, OBJECT_SIDE, (value) => value / 127.5 - 1),
    [1, 3, OBJECT_SIDE, OBJECT_SIDE],
  );
  return {
    seen: {
      ...nameClasses(probabilities),
      objects: findObjects(found, anchors, LEAST_SCORE),
      probabilities,
      features,
    },
  };
}

/** The middle of square RGB pixels, channel by channel. */
function toPlanes(
  pixels: Uint8Array,
  side: number,
  wanted: number,
  scale: (value: number) => number,
): Float32Array {
  const planes = new Float32Array(3 * wanted * wanted);
  const edge = (side - wanted) >> 1;
  for (let y = 0; y < wanted; y++) {
    for (let x = 0; x < wanted; x++) {
      const from = ((y + edge) * side + x + edge) * 3;
      for (let channel = 0; channel < 3; channel++)
        planes[(channel * wanted + y) * wanted + x] = scale(pixels[from + channel] ?? 0);
    }
  }
  return planes;
}
