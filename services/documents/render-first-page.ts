import { DecoderTimeout, ImageRefused } from '../../engines/image-decoder/errors.ts';
import { type DocumentType, hasLayout } from 'darkroom-reader/document';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { storeVariants } from '../images/render-variants.ts';
import { findTarget, type FileTarget } from '../processing/file-target.ts';
import { recordStep } from '../processing/record-step.ts';
import { drawPicture, type PictureDeps, requireType } from './draw-picture.ts';

/** As large as the largest variant. */
const SIDE = 1024;
/** Of a portrait sheet of that height. */
const SET = { width: 724, maxHeight: SIDE };
const DRAWN = { width: SIDE, maxHeight: SIDE };

/** Documents that may bring a picture of their first page along. */
const WITH_COVER: ReadonlySet<DocumentType> = new Set(['docx', 'xlsx', 'pptx', 'odt', 'ods', 'odp', 'epub']);
/** A smaller picture is enlarged in lists. */
const LEAST_SIDE = 256;
/** Levels of grey: programs that make files without showing them save the thumbnail of an empty page. */
const LEAST_CONTRAST = 64;

/**
 * Renders the variants of the first page of a document: of its cover or thumbnail if it brings one along, else of the page
 * itself. Repeating it replaces them.
 *
 * @throws FileGone, UploadSessionPaused, UploadSessionCancelled, and the errors of drawPicture
 */
export async function renderFirstPage(
  deps: PictureDeps,
  target: FileTarget,
  signal: AbortSignal,
): Promise<void> {
  const { em } = deps;
  const file = await findTarget(em, target);
  const type = requireType(file);
  const cover = WITH_COVER.has(type) ? await readCover(deps, file, type, signal) : null;
  const size = hasLayout(type) || type === 'pptx' ? DRAWN : SET;
  const picture = cover ?? (await drawPicture(deps, file, 1, size, signal)).bytes;
  const { result } = await storeVariants(deps, file, Buffer.from(picture), { signal });
  await recordStep(em, target, result.save ? { save: result.save } : {});
}

/** @returns null without a picture that shows anything */
async function readCover(
  { reader, copies, decoder }: PictureDeps,
  { id, tenantId, objectKey }: StoredFile,
  type: DocumentType,
  signal: AbortSignal,
): Promise<Uint8Array | null> {
  const cover = await copies.with(objectKey, signal, (path) =>
    reader.cover({ path, type, tenantId }, signal),
  );
  if (!cover) return null;
  try {
    const { data, width, height } = await decoder.grey(cover, {
      tenantId,
      label: `cover of ${id}`,
      signal,
      maxDimension: LEAST_SIDE,
      maxEnlargement: 1,
    });
    if (Math.max(width, height) < LEAST_SIDE) return null;
    const [darkest, lightest] = data.reduce(
      ([low, high], grey): [number, number] => [Math.min(low, grey), Math.max(high, grey)],
      [255, 0] as [number, number],
    );
    return lightest - darkest < LEAST_CONTRAST ? null : cover;
  } catch (error) {
    if (error instanceof ImageRefused || error instanceof DecoderTimeout) return null;
    throw error;
  }
}
