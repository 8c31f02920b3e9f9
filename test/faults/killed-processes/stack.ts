import { after } from 'node:test';
import { startOwnStack } from '../../support/own-stack.ts';

/** Expiry of direct uploads: long enough for the tests, and reached before the last of them. */
export const DIRECT_UPLOAD_SECONDS = 40;

/** The stack whose API and workers the tests of this folder kill. Its servers are never down. */
export const own = await startOwnStack({
  UPLOAD_MEMORY_BYTES_PER_TENANT: '21000000',
  DIRECT_UPLOAD_SECONDS: String(DIRECT_UPLOAD_SECONDS),
});
after(() => own.stop());
