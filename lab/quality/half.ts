import { createHash } from 'node:crypto';

/** Rules are chosen on one half, and the other is scored without being looked at. */
export type Half = 'development' | 'held-out';

/** The half of something named, by a hash of the name. */
export const halfOf = (name: string): Half =>
  (createHash('md5').update(name).digest()[0] ?? 0) % 2 === 1 ? 'held-out' : 'development';
