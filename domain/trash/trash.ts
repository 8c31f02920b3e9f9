import { entries, type ComponentName, type Components } from '../components.ts';
import { applyFileEvent } from '../file-events.ts';
import { TRASH_DAYS } from '../limits.ts';
import type { MediaType } from '../media.ts';

const DAY_MS = 86_400_000;
/** "409 while document text extraction or embedding is in progress" */
const READING: readonly ComponentName[] = ['text_extraction', 'digitization'];

/** Whether a file must not be deleted now: a document whose text is being extracted or embedded. */
export function isBusyDocument({
  mediaType,
  components,
}: {
  mediaType: MediaType;
  components: Components;
}): boolean {
  if (mediaType !== 'document') return false;
  return READING.some((name) => {
    const status = components[name]?.status;
    return status === 'queued' || status === 'processing';
  });
}

/** The components of a file that is being deleted: unfinished ones are cancelled. */
export function cutShort(components: Components, deletedAt: Date): Components {
  return applyFileEvent(components, { type: 'run_cancelled', at: deletedAt.toISOString() });
}

/** The components that this deletion cancelled, which a restore resumes; earlier cancellations are kept. */
export function cutShortBy(components: Components, deletedAt: Date): ComponentName[] {
  const at = deletedAt.toISOString();
  return entries(components)
    .filter(([, { cause, endedAt }]) => cause === 'cancelled' && endedAt === at)
    .map(([name]) => name);
}

/** The moment from which a deleted file can no longer be restored. */
export function goneAt(deletedAt: Date): Date {
  return new Date(deletedAt.getTime() + TRASH_DAYS * DAY_MS);
}
