import { openAsBlob } from 'node:fs';
import { eachOf } from './each-of.ts';
import type { HashedFile } from './local-file.ts';
import { putToStore } from '../../client/put-to-store.ts';
import type { Sending } from './sending.ts';

/** Per file. */
const PARTS_AT_ONCE = 3;

export interface PartUrl {
  part_number: number;
  url: string;
  expires_at: string;
}

/**
 * Sends the parts of a file and confirms each.
 *
 * @param which `missing` are the parts to send; by default all but those that an earlier run confirmed
 * @throws ApiProblem, ApiLost
 */
export async function sendParts(
  sending: Sending,
  file: HashedFile,
  { uploadId, urls, partSizeBytes }: { uploadId: string; urls: PartUrl[]; partSizeBytes: number },
  { missing, onSent }: { missing: number[] | undefined; onSent: (bytes: number) => void },
): Promise<void> {
  const { api, journal } = sending;
  const whole = await openAsBlob(file.absolute);
  const confirmed = journal.partsOf(uploadId);
  const wanted = urls.filter(({ part_number: number }) =>
    missing ? missing.includes(number) : !confirmed.has(number),
  );
  await eachOf(wanted, PARTS_AT_ONCE, async ({ part_number: number, url }) => {
    const from = (number - 1) * partSizeBytes;
    const bytes = whole.slice(from, Math.min(from + partSizeBytes, file.sizeBytes));
    const body = { part_number: number };
    const freshUrl = async (attempt: number) => {
      if (attempt === 0 && !missing) return url;
      return (await api.call<PartUrl>('POST', `/files/direct-uploads/${uploadId}/parts/retry`, { body })).body
        .url;
    };
    const etag = await putToStore(sending, { fresh: freshUrl, bytes });
    await api.call('POST', `/files/direct-uploads/${uploadId}/parts/confirm`, {
      body: { ...body, etag, size_bytes: bytes.size },
    });
    onSent(bytes.size);
    await journal.append({ type: 'part', upload: uploadId, number });
  });
}
