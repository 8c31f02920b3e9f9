import { setTimeout as delay } from 'node:timers/promises';
import type { SendOptions } from '../../sdk/src/index.ts';
import { RequestFailed, type Http } from '../shared/http.ts';
import type { Content } from './contents.ts';
import type { Delivery } from './plan.ts';

const PAUSE_MS = 1_000;
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

/**
 * Adds links: one alone, several in one request. Both have idempotency keys; links that are rejected temporarily are sent
 * again. Returns the file ids in order.
 *
 * @throws RequestFailed also if a link is rejected
 */
export async function deliverLinks(
  http: Http,
  urls: readonly string[],
  signal: AbortSignal,
): Promise<string[]> {
  const ids: string[] = [];
  const missing = () => [...urls.keys()].filter((index) => ids[index] === undefined);
  await http.runWithRetries(`the addition of ${urls.length} links`, async (options) => {
    for (let left = missing(); left.length > 0; left = missing()) {
      const found = await addLinks(
        http,
        left.map((index) => urls[index] ?? ''),
        options,
      );
      for (const [at, index] of left.entries()) {
        const id = found[at];
        if (id !== undefined) ids[index] = id;
      }
      if (missing().length > 0) await delay(PAUSE_MS, undefined, { signal });
    }
  });
  return ids;
}

/** The ids of the links in order; undefined for those that were rejected temporarily. */
async function addLinks(
  { client: { api } }: Http,
  urls: readonly string[],
  options: SendOptions,
): Promise<(string | undefined)[]> {
  const [url = '', ...others] = urls;
  const fields = { skip_duplicates: true };
  if (others.length === 0) {
    const { data } = await api.POST('/files/links', { body: { url, ...fields }, ...options });
    return [data.file_id];
  }
  const body = { links: urls.map((each) => ({ url: each })), ...fields };
  const { data } = await api.POST('/files/links/batch', { body, ...options });
  const refused = data.rejections.find(({ retryable }) => !retryable);
  if (refused) throw new RequestFailed(`${refused.filename} was rejected: ${refused.reason}`);
  return data.immediate_results.map(({ file_id: id }) => id ?? undefined);
}
