import type { VariantType } from './variants.ts';

/**
 * Object keys are generated from ids alone; what a client calls its file is only ever data. The original's key holds
 * a random attempt, so that a torn upload can never be taken for a whole one.
 */
export function originalKey(tenantId: string, fileId: string, attempt: string): string {
  return `${originalPrefix(tenantId, fileId)}${attempt}`;
}

/** All that is ever stored of a file. */
export function filePrefix(tenantId: string, fileId: string): string {
  return `tenants/${tenantId}/files/${fileId}/`;
}

/** All originals that were ever begun for a file. */
export function originalPrefix(tenantId: string, fileId: string): string {
  return `${filePrefix(tenantId, fileId)}original-`;
}

/** Where a client puts a whole object by a presigned URL. No file ever points here: the URL outlives verification. */
export function incomingKey(tenantId: string, uploadId: string): string {
  return `tenants/${tenantId}/uploads/${uploadId}`;
}

/** The upload that such a key is for; undefined for any other key, and for those of others. */
export function uploadOfIncomingKey(tenantId: string, key: string): string | undefined {
  const uploadId = key.slice(incomingKey(tenantId, '').length);
  return uploadId !== '' && key === incomingKey(tenantId, uploadId) ? uploadId : undefined;
}

/** Deterministic: making a variant again replaces it. */
export function variantKey(tenantId: string, fileId: string, type: VariantType): string {
  return `${filePrefix(tenantId, fileId)}variants/${type}`;
}
