/** Slots that a tenant alone does not get: one in four, at least one if there are several. */
export function keptSlots(count: number): number {
  return count > 1 ? Math.ceil(count / 4) : 0;
}

/** The number of slots of which a tenant alone gets this many. */
export function withKeptSlots(ofOneTenant: number): number {
  return ofOneTenant + Math.ceil(ofOneTenant / 3);
}
