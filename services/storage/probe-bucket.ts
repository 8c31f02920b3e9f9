import { randomBytes } from 'node:crypto';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import { ObjectStoreRefused } from '../../adapters/object-store/errors.ts';
import { AppError } from '../../domain/app-error.ts';
import { isBucketFailure } from '../../domain/bucket-failure.ts';
import { explainBucketFailure } from './explain-bucket-failure.ts';

/** Nothing else lies below it, so that what a broken probe leaves can be told from files. */
const PROBE_PREFIX = 'darkroom-probe/';
const PROBE = Buffer.from('Written to test access to this bucket. It can be deleted.\n');

/**
 * Uses a bucket once as uploads and downloads do: finds it, and writes, reads, lists and removes an object.
 *
 * @returns why it cannot be used; undefined if it can
 */
export async function probeBucket(store: ObjectStore): Promise<AppError | undefined> {
  const key = `${PROBE_PREFIX}${randomBytes(8).toString('hex')}`;
  try {
    await store.ready();
    await during('written', () => store.put(key, PROBE, { contentType: 'text/plain' }));
    await during('read', async () => {
      const read = await store.read(key, { maxBytes: PROBE.length });
      if (!read.equals(PROBE)) throw new ObjectStoreRefused('', 'other bytes were read than written');
    });
    await during('listed', async () => {
      for await (const _ of store.list(key));
    });
    await during('removed', () => store.remove([key]));
    return undefined;
  } catch (error) {
    const explained = explainBucketFailure(error);
    if (isBucketFailure(explained)) return explained;
    throw error;
  }
}

/** Says which permission is missing. */
async function during(what: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const explained = explainBucketFailure(error);
    if (!isBucketFailure(explained)) throw error;
    const { code, message, details } = explained;
    throw new AppError(code, `${message} (an object was to be ${what})`, details, { cause: error });
  }
}
