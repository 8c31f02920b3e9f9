import type { VariantType } from './variants.ts';

/**
 * Object keys are generated from ids alone; what a client calls its file is only ever data. The original's key holds
 * a random attempt, so that a torn upload can never be taken for a whole one.
 */
export function originalKey(tenantId: string, fileId: string, attempt: string): string {
  return `tenants/${tenantId}/files/${fileId}/original-${attempt}`;
}

/** Deterministic: making a variant again replaces it. */
export function variantKey(tenantId: string, fileId: string, type: VariantType): string {
  return `tenants/${tenantId}/files/${fileId}/variants/${type}`;
}
