import {
  entries,
  type ComponentName,
  type Components,
  type ComponentStatus,
  type FileComponents,
} from '../components.ts';
import { applyFileEvent } from '../file-events.ts';
import { deletionBlockers } from '../pipelines/index.ts';

/** Component statuses during which a component keeps its file from being deleted. */
export const BUSY_STATUSES = ['queued', 'processing'] as const satisfies readonly ComponentStatus[];

/** Whether a file must not be deleted now: the text of a document is being extracted or embedded. */
export function isBusy({ mediaType, components }: FileComponents): boolean {
  return deletionBlockers().some((blocker) => {
    const status = blocker.mediaType === mediaType ? components[blocker.component]?.status : undefined;
    return BUSY_STATUSES.some((busy) => busy === status);
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
