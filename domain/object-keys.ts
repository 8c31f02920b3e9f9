import type { VariantType } from './variants.ts';

/** Where objects of a tenant lie: in the bucket of one of its storage configurations, or else in the service's own. */
export interface ObjectPlace {
  tenantId: string;
  storageConfigId?: string | undefined;
}

/**
 * The storage configuration in whose bucket an object lies; undefined for the service's own bucket. A key says it, so
 * that whatever names an object also names its store.
 */
export function storageConfigOf(objectKey: string): string | undefined {
  return /^tenants\/[^/]+\/buckets\/([0-9a-f-]{36})\//.exec(objectKey)?.[1];
}

/** Which of the two stores of the contract an object lies in. */
export function storageTargetOf(objectKey: string): 'default' | 'custom' {
  return storageConfigOf(objectKey) === undefined ? 'default' : 'custom';
}

/** The place of an object of a tenant, for keys beside it. */
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

/** Deterministic: rendering a variant again replaces it. They lie beside the original. */
export function variantKey(place: ObjectPlace, fileId: string, type: VariantType): string {
  return `${variantsPrefix(place, fileId)}${type}`;
}

/** What an extraction keeps while it works: the picture it was given, and the one made for the model. */
export type ExtractionObject = 'input' | 'picture';

/** With a random attempt, so that no attempt writes over, or removes, what another one has stored. */
export function extractionKey(
  place: ObjectPlace,
  extractionId: string,
  kind: ExtractionObject,
  attempt: string,
): string {
  return `${placePrefix(place)}extractions/${extractionId}/${kind}-${attempt}`;
}

/** The file of an export. It is the service's own, for a day, so it lies in the service's own bucket. */
export function exportKey(tenantId: string, exportId: string): string {
  return `${placePrefix({ tenantId })}exports/${exportId}`;
}
