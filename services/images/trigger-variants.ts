import type { EntityManager } from '@mikro-orm/postgresql';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { isTerminal, type ComponentStatus } from '../../domain/components.ts';
import { isTerminalPrimary } from '../../domain/primary-status.ts';
import { AppError } from '../../domain/app-error.ts';
import type { Engine } from '../../temporal/client.ts';
import { observeFile, type FileObservation } from '../processing/observe-file.ts';
import type { Principal } from '../accounts/principal.ts';
import { retryFile } from '../processing/retry-file.ts';
import { startFileWork } from '../processing/start-file-work.ts';

export type VariantsTrigger =
  /** `started` is false when the engine is unreachable: the sweep starts it later. */
  | { outcome: 'queued'; started: boolean; status: ComponentStatus }
  /** Rendering is in progress or queued. */
  | { outcome: 'in_progress'; status: ComponentStatus }
  /** Variants are done, but the file is still being processed: one run at a time. */
  | { outcome: 'busy'; status: ComponentStatus };

/**
 * Renders the variants of an image again unless that is in progress, according to the engine and not the row alone.
 * Among concurrent calls, one starts a run and the others find it.
 *
 * @throws AppError WRONG_MEDIA_TYPE for a file that has no variants, QUOTA_EXHAUSTED when a description depends on them
 */
export async function triggerVariants(
  deps: { em: EntityManager; engine: Engine },
  principal: Principal,
  file: StoredFile,
): Promise<VariantsTrigger> {
  if (!file.components.variant) {
    throw new AppError('WRONG_MEDIA_TYPE', `${file.mediaType} files have no variants`);
  }
  const seen = await observeFile(deps, file);
  if (!isTerminalPrimary(seen.primaryStatus)) return inProgress(seen);
  try {
    const reopened = await retryFile(deps.em, principal, file, { components: ['variant'] });
    const started = await startFileWork(deps, reopened.file, 'interactive');
    return { outcome: 'queued', started, status: reopened.file.components.variant?.status ?? 'queued' };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'WORK_IN_PROGRESS') throw error;
    return inProgress(await observeFile(deps, await deps.em.refreshOrFail(file)));
  }
}

function inProgress({ components }: FileObservation): VariantsTrigger {
  const status = components.variant?.status ?? 'skipped';
  return isTerminal(status) ? { outcome: 'busy', status } : { outcome: 'in_progress', status };
}
