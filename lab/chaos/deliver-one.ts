import type { Http } from '../shared/http.ts';
import type { Content } from './contents.ts';
import type { Delivery } from './plan.ts';

const PART_BYTES = 5 * 1024 * 1024;
/** Longer than a verification that restarts after a kill. */
const VERIFICATION_MS = 240_000;

type Of<Route extends Delivery['route']> = Extract<Delivery, { route: Route }>;

/**
 * Uploads a file by streaming. There is no idempotency key; `skip_duplicates` makes retries safe. Returns the file
 * id.
 */
export async function deliverStream(http: Http, { piece }: Of<'stream'>, content: Content): Promise<string> {
  const uploaded = await http.runWithRetries(`the upload of ${piece.name}`, (options) =>
    http.client.upload(content.bytes, {
      ...options,
      filename: piece.name,
      skip_duplicates: true,
      directOverBytes: Infinity,
    }),
  );
  return uploaded.file_id;
}

/**
 * Uploads a file directly to the store. Creation and completion have idempotency keys, so that requests with a lost
 * response can be repeated; bytes missing from the store are resent. Returns the file id.
 */
export async function deliverDirect(http: Http, delivery: Of<'direct'>, content: Content): Promise<string> {
  const { piece, mode, skipDuplicates } = delivery;
  const uploaded = await http.runWithRetries(`the direct upload of ${piece.name}`, (options) =>
    http.client.upload(content.bytes, {
      ...options,
      filename: piece.name,
      contentType: 'image/png',
      sha256: content.sha256,
      skip_duplicates: skipDuplicates,
      directOverBytes: 0,
      verificationMs: VERIFICATION_MS,
      upload_mode: mode,
      ...(mode === 'multipart' && { part_size_bytes: PART_BYTES }),
    }),
  );
  return uploaded.file_id;
}
