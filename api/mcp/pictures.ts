import { ObjectTooLarge } from '../../adapters/object-store/object-store.ts';
import { AppError } from '../../domain/app-error.ts';
import type { VariantType } from '../../domain/image-analysis.ts';
import { DEFAULT_PAGE_WIDTH } from '../../domain/documents/page-image.ts';
import { findPageImage } from '../../services/documents/find-page-image.ts';
import { readPage } from '../../services/documents/read-document.ts';
import { findFile } from '../../services/files/find-file.ts';
import { findVariants } from '../../services/images/read-image.ts';
import type { ApiDeps } from '../deps.ts';
import { endIfStalled } from '../http/client-gone.ts';
import { holdSlot } from '../http/tenant-slots.ts';
import type { Arguments, Caller } from './call-operation.ts';

/** Their base64, a third longer, is held in memory until the client has received the response. */
const MAX_BYTES = 4 * 1024 * 1024;

export type PictureDeps = Pick<ApiDeps, 'orm' | 'objects' | 'longAnswers'>;

/** The arguments of the two operations, which have checked them. */
interface Pointer {
  file_id: string;
  variant_type?: VariantType | 'original';
  page_number?: number | string;
  width?: number | string;
}

export interface Picture {
  base64: string;
  mimeType: string;
}

/**
 * Reads the bytes that `getFileVariant` or `getPageImage` redirects to, after that operation has authorised the caller
 * and had the page drawn. Reads them from the store directly, because the URL uses the public endpoint.
 *
 * @throws AppError NOT_FOUND, WRONG_MEDIA_TYPE, VARIANT_NOT_READY, PAGE_NOT_DRAWN, FILE_TOO_LARGE, RATE_LIMITED, CLIENT_GONE;
 *   ObjectStoreUnavailable
 */
export type ReadPicture = (params: Arguments, signal: AbortSignal) => Promise<Picture>;

/**
 * Creates a reader for one request, whose pictures are read one after another in a single slot for long
 * answers.
 */
export function pictureReader(
  { orm, objects, longAnswers }: PictureDeps,
  { principal: { tenantId }, response }: Pick<Caller, 'principal' | 'response'>,
): ReadPicture {
  let slot: Promise<void> | undefined;
  let bytesLeft = MAX_BYTES;
  return async (params, signal) => {
    const { file_id: fileId, variant_type: type, page_number: page, width } = params as Arguments & Pointer;
    slot ??= holdSlot(longAnswers, tenantId, response);
    await slot;
    const em = orm.em.fork();
    const file = await findFile(em, tenantId, fileId);
    const find = async () => {
      if (page !== undefined)
        return findPageImage(em, await readPage(em, file, String(page)), Number(width ?? DEFAULT_PAGE_WIDTH));
      return type === 'original' ? file : (await findVariants(em, [file], type))[0];
    };
    const stored = await find();
    if (!stored) throw new AppError('VARIANT_NOT_READY', `there is no ${type ?? 'picture'} of this file`);
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
