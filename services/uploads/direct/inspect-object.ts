import { createHash } from 'node:crypto';
import type { ObjectStore } from '../../../adapters/object-store/object-store.ts';
import type { UploadIntent } from '../../../db/entities/uploads/upload-intent.ts';
import { MAGIC_BYTES } from '../../../domain/media.ts';
import { AppError } from '../../../domain/app-error.ts';
import { acceptedContent, type AcceptedContent } from '../accepted-content.ts';
import type { UploadFinding } from './upload-finding.ts';

export interface InspectDeps {
  objects: ObjectStore;
  /** Tells a content type by the first MAGIC_BYTES of a file, or says that it knows none. */
  detect: (head: Uint8Array) => Promise<string | undefined>;
}

/** What an object that is as promised turned out to be. */
export interface InspectedObject {
  content: AcceptedContent;
  /** Hexadecimal. */
  sha256: string;
}

/**
 * Compares an object with what was promised: its size, its SHA-256 if one was, and whether its leading bytes are of an accepted
 * type, whatever was declared.
 */
export async function inspectObject(
  { objects, detect }: InspectDeps,
  key: string,
  promised: Pick<UploadIntent, 'sizeBytes' | 'claimedSha256' | 'confirmedSha256'>,
  signal: AbortSignal,
): Promise<InspectedObject | UploadFinding> {
  const stat = await objects.stat(key, { signal });
  if (!stat) throw new Error(`${key} vanished while it was verified`);
  if (stat.sizeBytes !== promised.sizeBytes) {
    const message = `${stat.sizeBytes} bytes were uploaded where ${promised.sizeBytes} were announced`;
    return { kind: 'restarted', reason: { code: 'SIZE_MISMATCH', message } };
  }
  const sha256 = stat.sha256 ?? (await hashObject(objects, key, signal));
  if (promised.claimedSha256 && sha256 !== promised.claimedSha256) {
    const message = `the SHA-256 of the uploaded bytes is ${sha256}, not the claimed one`;
    return { kind: 'restarted', reason: { code: 'HASH_MISMATCH', message } };
  }
  if (!promised.claimedSha256 && promised.confirmedSha256 && sha256 !== promised.confirmedSha256) {
    const message = `the SHA-256 of the uploaded bytes is ${sha256}; confirm them with that, or with none`;
    return { kind: 'reopened', reason: { code: 'HASH_MISMATCH', message } };
  }
  try {
    const head = await objects.readStart(key, MAGIC_BYTES, { signal });
    return { content: acceptedContent(await detect(head)), sha256 };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { kind: 'refused', reason: { code: error.code, message: error.message } };
  }
}

/** Where the store has checked no checksum of the whole, every byte is read. */
async function hashObject(objects: ObjectStore, key: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of await objects.open(key, { signal })) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
