import { createHash } from 'node:crypto';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import type { DirectUpload } from '../../db/entities/uploads/direct-upload.ts';
import { MAGIC_BYTES } from '../../domain/media.ts';
import { AppError } from '../../domain/app-error.ts';
import { isBucketFailure } from '../../domain/bucket-failure.ts';
import { acceptedContent, type AcceptedContent } from '../uploads/accepted-content.ts';
import { contentOfObject } from '../uploads/content-of-object.ts';
import type { FailureReason } from '../../domain/components.ts';

export interface InspectDeps {
  objects: ObjectStore;
  /** Detects the content type from the first MAGIC_BYTES of a file and what was announced; undefined if unknown. */
  detect: (
    head: Uint8Array,
    announced: Pick<DirectUpload, 'filename' | 'contentType'>,
  ) => Promise<string | undefined>;
}

/** The properties of an object that matches its announcement. */
export interface InspectedObject {
  content: AcceptedContent;
  /** Hexadecimal. */
  sha256: string;
}

/**
 * Checks an object against its announcement: size, SHA-256 if claimed, and whether its leading bytes are of an accepted
 * type, regardless of the declared one.
 */
export async function inspectObject(
  { objects, detect }: InspectDeps,
  key: string,
  announced: Pick<
    DirectUpload,
    'sizeBytes' | 'claimedSha256' | 'confirmedSha256' | 'filename' | 'contentType'
  >,
  signal: AbortSignal,
): Promise<InspectedObject | UploadFinding> {
  const stat = await objects.stat(key, { signal });
  if (!stat) throw new Error(`${key} disappeared during verification`);
  if (stat.sizeBytes !== announced.sizeBytes) {
    const message = `${stat.sizeBytes} bytes were uploaded where ${announced.sizeBytes} were announced`;
    return { kind: 'restarted', reason: { code: 'SIZE_MISMATCH', message } };
  }
  const sha256 = stat.sha256 ?? (await hashObject(objects, key, stat.sizeBytes, signal));
  if (announced.claimedSha256 && sha256 !== announced.claimedSha256) {
    const message = `the SHA-256 of the uploaded bytes is ${sha256}, not the claimed one`;
    return { kind: 'restarted', reason: { code: 'HASH_MISMATCH', message } };
  }
  if (!announced.claimedSha256 && announced.confirmedSha256 && sha256 !== announced.confirmedSha256) {
    const message = `the SHA-256 of the uploaded bytes is ${sha256}; confirm them with that, or with none`;
    return { kind: 'reopened', reason: { code: 'HASH_MISMATCH', message } };
  }
  try {
    const head = await objects.readStart(key, MAGIC_BYTES, { signal });
    const detected = { ...acceptedContent(await detect(head, announced)), sizeBytes: announced.sizeBytes };
    return { content: await contentOfObject(objects, key, detected, signal), sha256 };
  } catch (error) {
    if (!(error instanceof AppError) || isBucketFailure(error)) throw error;
    return { kind: 'refused', reason: { code: error.code, message: error.message } };
  }
}

/** If the store has verified no checksum of the whole object, every byte is read. */
async function hashObject(
  objects: ObjectStore,
  key: string,
  sizeBytes: number,
  signal: AbortSignal,
): Promise<string> {
  const hash = createHash('sha256');
  let read = 0;
  for await (const chunk of (await objects.open(key, { signal })) as AsyncIterable<Buffer>) {
    // A tenant's store may report one size and send an endless stream.
    read += chunk.length;
    if (read > sizeBytes) throw new Error(`${key} has more bytes than its store says`);
    hash.update(chunk);
  }
  return hash.digest('hex');
}

/** Why an upload has not become a file. */
export type UploadFinding =
  /** The bytes are kept; the client may complete again. */
  | { kind: 'reopened'; reason: FailureReason }
  /** These parts have to be sent and confirmed again. */
  | { kind: 'unconfirmed'; parts: number[]; reason: FailureReason }
  /** These bytes are discarded. Parts are kept if the store can copy them (`replaceParts`). */
  | { kind: 'restarted'; reason: FailureReason }
  /** Final: no bytes that match the announcement would be accepted. */
  | { kind: 'refused'; reason: FailureReason };
