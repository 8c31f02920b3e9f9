import { ObjectTooLarge } from '../../adapters/object-store/object-store.ts';
import { AppError } from '../../domain/app-error.ts';
import type { VariantType } from '../../domain/image-analysis.ts';
import { findFile } from '../../services/files/find-file.ts';
import { findVariants } from '../../services/images/read-image.ts';
import type { ApiDeps } from '../deps.ts';
import { endIfStalled } from '../http/client-gone.ts';
import { holdSlot } from '../http/tenant-slots.ts';
import type { Arguments, Caller } from './call-operation.ts';

/** Their base64, a third longer, is held in memory until the client has received the response. */
const MAX_BYTES = 4 * 1024 * 1024;

export type PictureDeps = Pick<ApiDeps, 'orm' | 'objects' | 'longAnswers'>;

export interface Picture {
  base64: string;
  mimeType: string;
}

/**
 * Reads the bytes that `getFileVariant` redirects to, after that operation has authorised the caller. Reads
 * them from the store directly, because the URL uses the public endpoint.
 *
 * @throws AppError NOT_FOUND, WRONG_MEDIA_TYPE, VARIANT_NOT_READY, FILE_TOO_LARGE, RATE_LIMITED, CLIENT_GONE;
 *   ObjectStoreUnavailable
 */
export type ReadImage = (params: Arguments, signal: AbortSignal) => Promise<Picture>;

/**
 * Creates a reader for one request, whose pictures are read one after another in a single slot for long
 * answers.
 */
export function imageReader(
  { orm, objects, longAnswers }: PictureDeps,
  { principal: { tenantId }, response }: Pick<Caller, 'principal' | 'response'>,
): ReadImage {
  let slot: Promise<void> | undefined;
  let bytesLeft = MAX_BYTES;
  return async ({ file_id: fileId, variant_type: type }, signal) => {
    slot ??= holdSlot(longAnswers, tenantId, response);
    await slot;
    const em = orm.em.fork();
    const file = await findFile(em, tenantId, String(fileId));
    const stored = type === 'original' ? file : (await findVariants(em, [file], type as VariantType))[0];
    if (!stored) throw new AppError('VARIANT_NOT_READY', `there is no ${String(type)} of this file`);
    if (!stored.contentType.startsWith('image/'))
      throw new AppError(
        'WRONG_MEDIA_TYPE',
        `the original is ${stored.contentType}, not a picture; take a variant`,
      );
    try {
      const bytes = await objects.read(stored.objectKey, { maxBytes: bytesLeft, signal });
      bytesLeft -= bytes.length;
      endIfStalled(response);
      return { base64: bytes.toString('base64'), mimeType: stored.contentType };
    } catch (error) {
      if (!(error instanceof ObjectTooLarge)) throw error;
      throw new AppError(
        'FILE_TOO_LARGE',
        'the pictures of a request have at most 4 MB together; take a smaller variant',
      );
    }
  };
}
