import type { EntityManager } from '@mikro-orm/postgresql';
import { BrowserBusy, ScreenshotFailed, type Screenshots } from '../../adapters/browser/screenshots.ts';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import { LinkDetails } from '../../db/entities/links/link-details.ts';
import { placeOf, screenshotKey as keyOf } from '../../domain/object-keys.ts';
import { checkTarget, findTarget, type FileTarget } from '../processing/file-target.ts';
import { recordStep } from '../processing/record-step.ts';
import { findLinkDetails } from './find-links.ts';

export interface ScreenshotDeps {
  em: EntityManager;
  objects: ObjectStore;
  /** Undefined if no browser is configured. */
  screenshots: Screenshots | undefined;
  /** Called with errors that are not caused by the page. */
  onError: (error: unknown, what: string) => void;
}

/** Time after a crawl for which a link waits for a free browser. */
const MAX_WAIT_MS = 10 * 60_000;

/**
 * Takes a screenshot of the page of a link, unless there is one of the current content, or an attempt has failed since the
 * last crawl. A failure records the reason and keeps the screenshot of an earlier crawl.
 *
 * @throws FileGone, UploadSessionPaused, UploadSessionCancelled; BrowserBusy, during the first minutes after the crawl; the
 *   reason of the signal
 */
export async function takeScreenshot(
  { em, objects, screenshots, onError }: ScreenshotDeps,
  target: FileTarget,
  signal: AbortSignal,
): Promise<void> {
  if (!screenshots) return;
  const { id: fileId, tenantId, objectKey } = await findTarget(em, target);
  const details = await findLinkDetails(em, fileId);
  if (!details || isDone(details)) return;
  const record = async (changes: Partial<LinkDetails>): Promise<boolean> => {
    let recorded = false;
    await recordStep(em, target, {
      async save(tx) {
        await tx.nativeUpdate(LinkDetails, { fileId }, { ...changes, screenshotAt: new Date() });
        recorded = true;
      },
    });
    return recorded;
  };
  let bytes: Buffer;
  try {
    bytes = await screenshots.take(details.finalUrl, { tenantId, signal });
  } catch (error) {
    const isLate = Date.now() - details.crawledAt.getTime() > MAX_WAIT_MS;
    const isFinal = error instanceof ScreenshotFailed || (error instanceof BrowserBusy && isLate);
    if (!isFinal) throw error;
    if (error.cause) onError(error.cause, 'a screenshot failed');
    await record({ screenshotError: error.message });
    return;
  }
  await checkTarget(em, target);
  const screenshotKey = keyOf(placeOf(tenantId, objectKey), fileId);
  await objects.put(screenshotKey, bytes, { contentType: 'image/jpeg' });
  if (await record({ screenshotKey, screenshotError: null })) return;
  // The link was deleted or converted to a file, unless a newer run has recorded the same key.
  if ((await em.fork().count(LinkDetails, { fileId, screenshotKey })) === 0)
    await objects.remove([screenshotKey]);
}

/** After a failure, the screenshot is retried after the next crawl. */
function isDone({ screenshotAt, screenshotError, crawledAt, changedAt }: LinkDetails): boolean {
  return screenshotAt != null && screenshotAt > (screenshotError == null ? changedAt : crawledAt);
}
