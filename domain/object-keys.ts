import type { VariantType } from './variants.ts';

/**
 * Object keys are generated from ids alone; client file names are only ever data. The original's key contains a random
 * attempt, so that an incomplete upload can never be mistaken for a complete one.
 */
export function originalKey(tenantId: string, fileId: string, attempt: string): string {
  return `${originalPrefix(tenantId, fileId)}${attempt}`;
}

/** Prefix of all objects of a file. */
export function filePrefix(tenantId: string, fileId: string): string {
  return `tenants/${tenantId}/files/${fileId}/`;
}

/** Prefix of all originals ever started for a file. */
export function originalPrefix(tenantId: string, fileId: string): string {
  return `${filePrefix(tenantId, fileId)}original-`;
}

/** Key of a client's presigned single upload. No file ever points here, because the URL outlives verification. */
export function incomingKey(tenantId: string, uploadId: string): string {
  return `tenants/${tenantId}/uploads/${uploadId}`;
}

/** The upload id of an incoming key; undefined for any other key, and for keys of other tenants. */
export function uploadOfIncomingKey(tenantId: string, key: string): string | undefined {
  const uploadId = key.slice(incomingKey(tenantId, '').length);
  return uploadId !== '' && key === incomingKey(tenantId, uploadId) ? uploadId : undefined;
}

/** Prefix of all variants of a file. */
export function variantsPrefix(tenantId: string, fileId: string): string {
  return `${filePrefix(tenantId, fileId)}variants/`;
}

/** Deterministic: rendering a variant again replaces it. */
export function variantKey(tenantId: string, fileId: string, type: VariantType): string {
  return `${variantsPrefix(tenantId, fileId)}${type}`;
}
