import { buffer } from 'node:stream/consumers';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sniffContentType } from '../../adapters/content-sniffer/content-sniffer.ts';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import type { WebFetch } from '../../adapters/web-fetch/web-fetch.ts';
import { MAX_FETCHED_PICTURE_BYTES } from '../../domain/limits.ts';
import { MAGIC_BYTES } from '../../domain/media.ts';
import type { ExtractionTarget } from '../../temporal/contract/extract-data.ts';
import { acceptedContent, acceptedFormats } from '../uploads/accepted-content.ts';
import { objectOf, storeExtractionObject } from './extraction-objects.ts';
import { ContentMissing, findExtractionTarget } from './extraction-target.ts';

/**
 * Fetches an extraction's image from its URL, once.
 *
 * @throws ExtractionOver, ContentMissing for content that is not an image, and the errors of the fetch and of the store
 */
export async function fetchPicture(
  { em, objects, web }: { em: EntityManager; objects: ObjectStore; web: WebFetch },
  target: ExtractionTarget,
  signal: AbortSignal,
): Promise<void> {
  const extraction = await findExtractionTarget(em, target);
  const { sourceUrl } = extraction;
  if (!sourceUrl || objectOf(extraction, 'input') !== undefined) return;
  const bytes = await buffer(await web.open(sourceUrl, { maxBytes: MAX_FETCHED_PICTURE_BYTES, signal }));
  const type = await sniffContentType(bytes.subarray(0, MAGIC_BYTES));
  if (!type?.startsWith('image/')) {
    throw new ContentMissing(`there is no image behind the URL: it has to be ${acceptedFormats('image')}`);
  }
  const { contentType } = acceptedContent(type);
  await storeExtractionObject({ em, objects }, target, 'input', { bytes, contentType });
}
