import { ObjectNotFound, PartCopyUnsupported } from '../../../adapters/object-store/errors.ts';
import type {
  MultipartUpload,
  ObjectStore,
  UploadedPart,
} from '../../../adapters/object-store/object-store.ts';
import type { UploadIntent } from '../../../db/entities/uploads/upload-intent.ts';
import { partSize } from '../../../domain/uploads/upload-plan.ts';
import { placeOf } from '../../../domain/object-keys.ts';
import { newPartsKey, partsKeyOf } from './create-upload.ts';

const COPIES_AT_ONCE = 4;

/** The multipart upload that takes the place of one whose assembled object does not match its announcement. */
export interface ReplacedParts {
  upload: MultipartUpload;
  /** Copies of all parts; undefined where the store cannot copy, so that all have to be sent again. */
  copied: UploadedPart[] | undefined;
}

/**
 * Starts a new multipart upload with the same parts, so that a client sends again only those that are wrong. Its key is
 * a new one: a late attempt to verify or remove the former object cannot reach it.
 */
export async function replaceParts(
  objects: ObjectStore,
  intent: UploadIntent,
  signal: AbortSignal,
): Promise<ReplacedParts> {
  const key = newPartsKey(placeOf(intent.tenantId, intent.objectKey), intent.fileId);
  const upload = await objects.initiateMultipart(key, { contentType: intent.contentType });
  try {
    return { upload, copied: await copyParts(objects, intent, upload, signal) };
  } catch (error) {
    await objects.abortMultipart(upload);
    throw error;
  }
}

async function copyParts(
  objects: ObjectStore,
  intent: UploadIntent,
  upload: MultipartUpload,
  signal: AbortSignal,
): Promise<UploadedPart[] | undefined> {
  const { sizeBytes, partSizeBytes, totalParts } = intent;
  const layout = { sizeBytes, partSizeBytes: partSizeBytes ?? 0, totalParts: totalParts ?? 0 };
  const copied: UploadedPart[] = [];
  const numbers = Array.from({ length: layout.totalParts }, (_, index) => index + 1).values();
  const workers = Array.from({ length: COPIES_AT_ONCE }, async () => {
    for (const number of numbers) {
      const first = (number - 1) * layout.partSizeBytes;
      const range = { first, last: first + partSize(layout, number) - 1 };
      copied.push(await objects.copyPart(partsKeyOf(intent), range, upload, number, { signal }));
    }
  });
  const [failed] = (await Promise.allSettled(workers)).filter(({ status }) => status === 'rejected');
  if (failed?.status !== 'rejected') return copied;
  // The object is missing when the store has lost its parts before they were assembled.
  if (failed.reason instanceof PartCopyUnsupported || failed.reason instanceof ObjectNotFound)
    return undefined;
  throw failed.reason;
}
