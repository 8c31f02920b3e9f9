import type { VariantType } from './image-analysis.ts';

/** Location of a tenant's objects: the bucket of one of its storage configurations, or else the service's own. */
export interface ObjectPlace {
  tenantId: string;
  storageConfigId?: string | undefined;
}

/**
 * The storage configuration of the bucket that holds an object; undefined for the service's own bucket. Derived from
 * the key, so that every reference to an object also identifies its store.
 */
export function storageConfigOf(objectKey: string): string | undefined {
  return /^tenants\/[^/]+\/buckets\/([0-9a-f-]{36})\//.exec(objectKey)?.[1];
}

/** Which of the contract's two stores holds an object. */
export function storageTargetOf(objectKey: string): 'default' | 'custom' {
  return storageConfigOf(objectKey) === undefined ? 'default' : 'custom';
}

/** The place of a tenant's object, for keys beside it. */
export function placeOf(tenantId: string, objectKey: string): ObjectPlace {
  return { tenantId, storageConfigId: storageConfigOf(objectKey) };
}

/** Prefix of all objects in one place. */
export function placePrefix({ tenantId, storageConfigId }: ObjectPlace): string {
  const bucket = storageConfigId === undefined ? '' : `buckets/${storageConfigId}/`;
  return `tenants/${tenantId}/${bucket}`;
}

/**
 * Object keys are generated from ids alone; client file names are only ever data. The original's key contains a random
 * attempt, so that an incomplete upload can never be mistaken for a complete one.
 */
export function originalKey(place: ObjectPlace, fileId: string, attempt: string): string {
  return `${originalPrefix(place, fileId)}${attempt}`;
}

/** Prefix of all objects of a file. */
export function filePrefix(place: ObjectPlace, fileId: string): string {
  return `${placePrefix(place)}files/${fileId}/`;
}

/** Prefix of all originals ever started for a file. */
export function originalPrefix(place: ObjectPlace, fileId: string): string {
  return `${filePrefix(place, fileId)}original-`;
}

/** Key of a client's presigned single upload. No file ever points here, because the URL outlives verification. */
export function incomingKey(place: ObjectPlace, uploadId: string): string {
  return `${placePrefix(place)}uploads/${uploadId}`;
}

/** The upload id of an incoming key; undefined for any other key, and for keys of other tenants. */
export function uploadOfIncomingKey(tenantId: string, key: string): string | undefined {
  const place = placeOf(tenantId, key);
  const uploadId = key.slice(incomingKey(place, '').length);
  return uploadId !== '' && key === incomingKey(place, uploadId) ? uploadId : undefined;
}

/** Prefix of all variants of a file. */
export function variantsPrefix(place: ObjectPlace, fileId: string): string {
  return `${filePrefix(place, fileId)}variants/`;
}

/** Deterministic: rendering a variant again replaces it. Variants are stored beside the original. */
export function variantKey(place: ObjectPlace, fileId: string, type: VariantType): string {
  return `${variantsPrefix(place, fileId)}${type}`;
}

/** Also deterministic: the keys of a video's key frame and of its small version. */
export function keyFrameKeys(
  place: ObjectPlace,
  fileId: string,
  frameNumber: number,
): { objectKey: string; smallKey: string } {
  const objectKey = `${variantsPrefix(place, fileId)}frame_${frameNumber}`;
  return { objectKey, smallKey: `${objectKey}_small` };
}

/** Also deterministic: the key of the screenshot of a link's page. */
export function screenshotKey(place: ObjectPlace, fileId: string): string {
  return `${variantsPrefix(place, fileId)}screenshot`;
}

/** Contains a random attempt: a picture that is drawn again has a key of its own. */
export function pageImageKey(
  place: ObjectPlace,
  fileId: string,
  { pageNumber, width }: { pageNumber: number; width: number },
  attempt: string,
): string {
  return `${filePrefix(place, fileId)}pages/${pageNumber}-${width}-${attempt}`;
}

/** Temporary objects of an extraction: the image it was given, and the one rendered for the model. */
export type ExtractionObject = 'input' | 'image';

/** Contains a random attempt, so that no attempt overwrites or removes the objects of another one. */
export function extractionKey(
  place: ObjectPlace,
  extractionId: string,
  kind: ExtractionObject,
  attempt: string,
): string {
  return `${placePrefix(place)}extractions/${extractionId}/${kind}-${attempt}`;
}

/** The file of an export. It belongs to the service and lasts a day, so it is stored in the service's own bucket. */
export function exportKey(tenantId: string, exportId: string): string {
  return `${placePrefix({ tenantId })}exports/${exportId}`;
}
