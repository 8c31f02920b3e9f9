import { Migration20261121083120 } from './Migration20261121083120.ts';

/** In the order in which they apply. */
export const MIGRATIONS = [Migration20261121083120];
