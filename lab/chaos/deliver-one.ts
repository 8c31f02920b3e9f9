import type { Http } from '../shared/http.ts';
import type { Content } from './contents.ts';
import type { Delivery } from './plan.ts';

const PART_BYTES = 5 * 1024 * 1024;
/** Longer than the verification takes that begins again after a kill. */
const VERIFICATION_MS = 240_000;

type Of<Route extends Delivery['route']> = Extract<Delivery, { route: Route }>;

/** One streamed upload. It has no idempotency key: `skip_duplicates` makes it safe to repeat. Returns the file id. */
export async function deliverStream(http: Http, { piece }: Of<'stream'>, content: Content): Promise<string> {
  const uploaded = await http.patientWork(`the upload of ${piece.name}`, (options) =>
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
 * One direct upload: created and completed with idempotency keys, so that a lost response can be requested again; bytes
 * missing from the store are sent again. Returns the file id.
 */
export async function deliverDirect(http: Http, delivery: Of<'direct'>, content: Content): Promise<string> {
  const { piece, mode, skipDuplicates } = delivery;
  const uploaded = await http.patientWork(`the direct upload of ${piece.name}`, (options) =>
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
