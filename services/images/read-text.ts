import type { EntityManager } from '@mikro-orm/postgresql';
import type { ImageDecoder } from '../../engines/image-decoder/image-decoder.ts';
import type { TextRecogniser } from '../../engines/text-recogniser/text-recogniser.ts';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import { FileVariant } from '../../db/entities/files/file-variant.ts';
import { ImageDetails } from '../../db/entities/files/image-details.ts';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { MAX_STREAMED_BYTES } from '../../domain/limits.ts';
import type { TextRegion } from '../../domain/image-analysis.ts';
import { findTarget, type FileTarget } from '../processing/file-target.ts';
import { recordStep } from '../processing/record-step.ts';
import { FILE_WORKFLOWS } from '../../temporal/contract/process-file.ts';

export interface ReadTextDeps {
  em: EntityManager;
  objects: ObjectStore;
  decoder: ImageDecoder;
  recogniser: TextRecogniser;
}

/** Enough to detect text at all. A photograph takes 30–200 ms. */
export const DETECTION = { maxDimension: 1024, maxEnlargement: 1 };
/**
 * Text is read from the original: in a 4K screenshot, 1 word in 70 is right at 1,024 pixels, and all but 1 in 1,000 at
 * 2,000 pixels, in the same time, since time grows with the number of words. Small images are doubled because of
 * 9-pixel letters.
 */
export const RECOGNITION = { maxDimension: 2000, maxEnlargement: 2 };

/**
 * Recognises the text in an image and stores it with the file. Repeating it overwrites the result.
 *
 * @throws FileGone, ObjectNotFound, and the errors of decoder and recogniser
 */
export async function readText(deps: ReadTextDeps, target: FileTarget, signal: AbortSignal): Promise<void> {
  const file = await findTarget(deps.em, target);
  const textRegions = await findRegions(deps, file, signal);
  const visibleText = textRegions.map(({ text }) => text).join('\n') || null;
  await recordStep(deps.em, target, {
    changes: () => ({ visibleText }),
    save: async (tx) => void (await tx.nativeUpdate(ImageDetails, { fileId: file.id }, { textRegions })),
  });
}

async function findRegions(
  { em, objects, ...recognition }: ReadTextDeps,
  file: StoredFile,
  signal: AbortSignal,
): Promise<TextRegion[]> {
  const work = { tenantId: file.tenantId, label: FILE_WORKFLOWS.of(file.id), signal };
  const variant = await em.findOneOrFail(FileVariant, { fileId: file.id, type: 'large_1024' });
  const small = await objects.read(variant.objectKey, { maxBytes: MAX_STREAMED_BYTES });
  const original = () => objects.read(file.objectKey, { maxBytes: MAX_STREAMED_BYTES });
  return recogniseImage(recognition, small, original, work);
}

/**
 * The lines of text in an image.
 *
 * @param small version of the image that suffices to detect whether there is any text
 */
export async function recogniseImage(
  { decoder, recogniser }: Pick<ReadTextDeps, 'decoder' | 'recogniser'>,
  small: Uint8Array,
  original: () => Promise<Uint8Array>,
  work: { tenantId: string; label: string; signal: AbortSignal },
): Promise<TextRegion[]> {
  if (!(await recogniser.hasText(await decoder.grey(small, { ...DETECTION, ...work }), work))) return [];
  return recogniser.read(await decoder.grey(await original(), { ...RECOGNITION, ...work }), work);
}
