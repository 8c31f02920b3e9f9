import type { EntityManager } from '@mikro-orm/postgresql';
import { ScreenshotFailed, type Screenshots } from '../../adapters/browser/screenshots.ts';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import { LinkDetails } from '../../db/entities/links/link-details.ts';
import { placeOf, screenshotKey as keyOf } from '../../domain/object-keys.ts';
import { findTarget, type FileTarget } from '../processing/file-target.ts';
import { recordStep } from '../processing/record-step.ts';
import { findLinkDetails } from './find-links.ts';

export interface ScreenshotDeps {
  em: EntityManager;
  objects: ObjectStore;
  /** Undefined where no browser is configured. */
  screenshots: Screenshots | undefined;
}

/**
 * Takes a screenshot of the page of a link, unless there is one of its present content. One that fails leaves the reason,
 * and the screenshot of an earlier crawl.
 *
 * @throws FileGone, UploadSessionPaused, UploadSessionCancelled, BrowserBusy; the reason of the signal
 */
export async function takeScreenshot(
  { em, objects, screenshots }: ScreenshotDeps,
  target: FileTarget,
  signal: AbortSignal,
): Promise<void> {
  if (!screenshots) return;
  const { id: fileId, tenantId, objectKey } = await findTarget(em, target);
  const details = await findLinkDetails(em, fileId);
  if (!details || (details.screenshotAt && details.screenshotAt > details.changedAt)) return;
  const record = (changes: Partial<LinkDetails>) =>
    recordStep(em, target, {
      save: async (tx) => void (await tx.nativeUpdate(LinkDetails, { fileId }, changes)),
    });
  try {
    const bytes = await screenshots.take(details.finalUrl, signal);
    const screenshotKey = keyOf(placeOf(tenantId, objectKey), fileId);
    await objects.put(screenshotKey, bytes, { contentType: 'image/jpeg' });
    await record({ screenshotKey, screenshotAt: new Date(), screenshotError: null });
  } catch (error) {
    if (!(error instanceof ScreenshotFailed)) throw error;
    await record({ screenshotError: error.message });
  }
}
