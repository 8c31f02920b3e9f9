import type { S3Config } from './config.ts';
import { ObjectStoreUnavailable, PartCopyUnsupported, type ObjectStore } from './object-store.ts';
import { type S3Request, copySource } from './s3-request.ts';
import { codeIn, readDocument, readErrorCode, toStoreError } from './s3-response.ts';

/** A copy of 5 GB inside the store, at 10 MB a second. */
export const COPIED_WITHIN_MS = 600_000;
/** Statuses of stores that do not support this kind of request. */
const COPY_REFUSED = new Set([400, 405, 501]);

/** Copies a range of an object into a part. A store may answer 200 and report the failure in the document. */
export function createCopyPart(config: S3Config, request: S3Request): ObjectStore['copyPart'] {
  return async (from, { first, last }, { key, uploadId }, number, { signal } = {}) => {
    const response = await request({
      method: 'PUT',
      key,
      query: { partNumber: String(number), uploadId },
      headers: {
        'x-amz-copy-source': copySource(config, from),
        'x-amz-copy-source-range': `bytes=${first}-${last}`,
      },
      signal,
      answerWithinMs: COPIED_WITHIN_MS,
    });
    if (COPY_REFUSED.has(response.statusCode ?? 0)) {
      const code = await readErrorCode(response);
      throw new PartCopyUnsupported(`COPY part of ${key}: status ${response.statusCode} ${code}`);
    }
    if (response.statusCode !== 200) throw await toStoreError(response, 'COPY part of', key, from);
    const document = await readDocument(response);
    const etag = /<ETag>(?:"|&quot;|&#34;)?([^<"&]+)/.exec(document)?.[1];
    if (etag === undefined) {
      throw new ObjectStoreUnavailable(`COPY part of ${key}: ${codeIn(document) || 'no ETag'}`);
    }
    return { number, etag };
  };
}
