import { Migration20261121083120 } from './Migration20261121083120.ts';
import { Migration20261121101420_visible_text } from './Migration20261121101420_visible_text.ts';
import { Migration20261121112130_upload_sessions } from './Migration20261121112130_upload_sessions.ts';

/** In the order in which they apply. */
export const MIGRATIONS = [
  Migration20261121083120,
  Migration20261121101420_visible_text,
  Migration20261121112130_upload_sessions,
];
