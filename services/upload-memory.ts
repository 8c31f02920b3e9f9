/** Bytes that uploads in flight may hold in memory, in all and for one tenant. */
export interface UploadMemory {
  /** A function that gives the bytes back (once, however often it is called), or why they cannot be had now. */
  reserve(tenantId: string, bytes: number): (() => void) | 'tenant_limit' | 'global_limit';
  inUse(): number;
}

export function createUploadMemory(limits: { globalBytes: number; tenantBytes: number }): UploadMemory {
  const byTenant = new Map<string, number>();
  let total = 0;

  function add(tenantId: string, bytes: number): void {
    total += bytes;
    const held = (byTenant.get(tenantId) ?? 0) + bytes;
    if (held === 0) byTenant.delete(tenantId);
    else byTenant.set(tenantId, held);
  }

  return {
    reserve(tenantId, bytes) {
      if ((byTenant.get(tenantId) ?? 0) + bytes > limits.tenantBytes) return 'tenant_limit';
      if (total + bytes > limits.globalBytes) return 'global_limit';
      add(tenantId, bytes);
      let held = true;
      return () => {
        if (held) add(tenantId, -bytes);
        held = false;
      };
    },
    inUse: () => total,
  };
}
