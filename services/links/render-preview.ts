import type { EntityManager } from '@mikro-orm/postgresql';
import type { ImageDecoder } from '../../engines/image-decoder/image-decoder.ts';
import { DecoderCrashed, DecoderTimeout, ImageRefused } from '../../engines/image-decoder/errors.ts';
import {
  ObjectNotFound,
  ObjectTooLarge,
  type ObjectStore,
} from '../../adapters/object-store/object-store.ts';
import type { Robots } from '../../adapters/web-fetch/robots.ts';
import { WebFetchError } from '../../adapters/web-fetch/web-fetch-error.ts';
import type { WebFetch } from '../../adapters/web-fetch/web-fetch.ts';
import { LinkDetails } from '../../db/entities/links/link-details.ts';
import { MAX_PREVIEW_BYTES, previewCandidates } from '../../domain/links/web-page.ts';
import { storeVariants } from '../images/render-variants.ts';
import { findTarget, type FileTarget } from '../processing/file-target.ts';
import { recordStep } from '../processing/record-step.ts';
import { findLinkDetails } from './find-links.ts';
import { visitHosts, type HostSlots } from './host-slots.ts';

export interface PreviewDeps {
  em: EntityManager;
  objects: ObjectStore;
  decoder: ImageDecoder;
  web: WebFetch;
  robots: Robots;
  hosts: HostSlots;
}

/** URLs of images that crashed the decoder in earlier attempts. */
type Crashed = readonly string[];

interface PreviewAttempt {
  signal: AbortSignal;
  /** State saved by earlier attempts. */
  kept: unknown;
  keep: (crashed: Crashed) => void;
}

/**
 * Renders the variants of a link from the best image of its page. If that cannot be fetched or decoded, the next best is
 * used; an image that crashed the decoder is skipped by the next attempt. Without a usable image, the screenshot is
 * rendered; without a screenshot, there are no variants, or those of the last crawl remain.
 *
 * @throws FileGone, UploadSessionPaused, UploadSessionCancelled, HostBusy, DecoderCrashed, PageParserCrashed; the reason
 *   of the signal
 */
export async function renderPreview(
  { em, objects, decoder, web, robots, hosts }: PreviewDeps,
  target: FileTarget,
  { signal, kept, keep }: PreviewAttempt,
): Promise<void> {
  const file = await findTarget(em, target);
  const { tenantId, fileId } = target;
  const details = await findLinkDetails(em, fileId);
  if (!details) return;
  const crashed = (kept ?? []) as Crashed;
  const visit = visitHosts(hosts, tenantId, signal);
  const fetchImage = async (src: string): Promise<Buffer> => {
    const content = await web.open(src, {
      maxBytes: MAX_PREVIEW_BYTES,
      signal,
      async admit(url) {
        await visit.enter(url.host);
        await robots.check(url, { tenantId, signal });
      },
    });
    return Buffer.concat((await content.toArray()) as Buffer[]);
  };
  const { screenshotKey } = details;
  const readScreenshot = async (key: string): Promise<Buffer> => {
    try {
      return await objects.read(key, { maxBytes: MAX_PREVIEW_BYTES, signal });
    } catch (error) {
      if (isUnusable(error)) await forgetScreenshot(em, target, key);
      throw error;
    }
  };
  const images = previewCandidates(details.images, details.leadImageUrl);
  const sources = [
    ...images.map(({ src }) => ({ src, read: fetchImage })),
    ...(screenshotKey ? [{ src: screenshotKey, read: readScreenshot }] : []),
  ];
  for (const { src, read } of sources) {
    if (crashed.includes(src)) continue;
    try {
      const bytes = await read(src);
      const { result } = await storeVariants({ objects, decoder }, file, bytes, { signal });
      await recordStep(em, target, result.save ? { save: result.save } : {});
      return;
    } catch (error) {
      if (error instanceof DecoderCrashed) keep([...crashed, src]);
      if (!isUnusable(error)) throw error;
    } finally {
      visit.leave();
    }
  }
}

/** A screenshot that is missing or was replaced is taken again after the next crawl. */
async function forgetScreenshot(em: EntityManager, target: FileTarget, screenshotKey: string): Promise<void> {
  const { fileId } = target;
  const none = { screenshotKey: null, screenshotAt: null };
  await recordStep(em, target, {
    save: async (tx) => void (await tx.nativeUpdate(LinkDetails, { fileId, screenshotKey }, none)),
  });
}

const UNUSABLE = [WebFetchError, ImageRefused, DecoderTimeout, ObjectNotFound, ObjectTooLarge];

function isUnusable(error: unknown): boolean {
  return UNUSABLE.some((kind) => error instanceof kind);
}
