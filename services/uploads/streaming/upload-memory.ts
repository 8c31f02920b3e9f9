import { UPLOAD_BUFFER_BYTES } from './part-buffers.ts';

export type MemoryShortage = 'tenant_limit' | 'global_limit';

export interface UploadMemory {
  /** The limit for all uploads of one tenant. */
  readonly tenantBytes: number;
  /** The most that one upload uses. */
  readonly uploadBytes: number;
  /**
   * Reserves bytes for one upload, before any of its body is read.
   *
   * @returns `release`, to be called once the upload is over, however it ended; calling it again does nothing
   */
  reserve(tenantId: string, bytes: number): { release: () => void } | { refused: MemoryShortage };
  /** Currently reserved bytes: of all tenants, or of one. */
  inUse(tenantId?: string): number;
}

/** Limits the memory of uploads in this process, per tenant and in total. */
export function createUploadMemory(limits: { globalBytes: number; tenantBytes: number }): UploadMemory {
  const byTenant = new Map<string, number>();
  let total = 0;

  function add(tenantId: string, bytes: number): void {
    total += bytes;
    const held = (byTenant.get(tenantId) ?? 0) + bytes;
    if (held === 0) byTenant.delete(tenantId);
    else byTenant.set(tenantId, held);
  }

  function inUse(tenantId?: string): number {
    return tenantId === undefined ? total : (byTenant.get(tenantId) ?? 0);
  }

  return {
    tenantBytes: Math.min(limits.tenantBytes, limits.globalBytes),
    uploadBytes: UPLOAD_BUFFER_BYTES,
    inUse,
    reserve(tenantId, bytes) {
      // A NaN or a negative number would pass every comparison below and corrupt the sums for good.
      if (!Number.isSafeInteger(bytes) || bytes < 0) throw new RangeError(`cannot reserve ${bytes} bytes`);
      if (inUse(tenantId) + bytes > limits.tenantBytes) return { refused: 'tenant_limit' };
      if (total + bytes > limits.globalBytes) return { refused: 'global_limit' };
      add(tenantId, bytes);
      let held = bytes;
      return {
        release() {
          add(tenantId, -held);
          held = 0;
        },
      };
    },
  };
}
