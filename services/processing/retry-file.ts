import type { EntityManager } from '@mikro-orm/postgresql';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import type { ComponentName } from '../../domain/components.ts';
import { reservationsOf } from '../../domain/accounts/credits.ts';
import { isTerminalPrimary, primaryStatus } from '../../domain/primary-status.ts';
import { AppError } from '../../domain/app-error.ts';
import { reopenComponents, resolveRetry, type RetryRequest } from '../../domain/retry-components.ts';
import { reserveCredits } from '../accounts/credits.ts';
import { apiKeyIdOf, type Principal } from '../accounts/principal.ts';
import { mediumOf } from '../media/medium.ts';
import { paidBefore } from './settle-run.ts';
import { dueSince } from '../shared/due.ts';

/**
 * Opens the next generation of a file that has ended: only the requested components run again; the others keep their
 * results. Credits are reserved again for paid components.
 *
 * @param principal without a credential for an operator
 * @returns the updated file, for startFileWork, and which components run again
 * @throws AppError WORK_IN_PROGRESS, NOTHING_TO_RETRY, QUOTA_EXHAUSTED; WRONG_MEDIA_TYPE, VALIDATION_FAILED for unknown pages
 */
export async function retryFile(
  em: EntityManager,
  {
    tenantId,
    tier,
    credential,
  }: Pick<Principal, 'tenantId' | 'tier'> & Partial<Pick<Principal, 'credential'>>,
  file: StoredFile,
  toRedo: RetryRequest = {},
): Promise<{ file: StoredFile; retried: ComponentName[] }> {
  const { requested, pages } = resolveRetry(file.mediaType, toRedo);
  if (!isTerminalPrimary(file.primaryStatus)) {
    throw new AppError('WORK_IN_PROGRESS', 'the file is still being processed; see its timeline');
  }
  const { id: fileId, mediaType, generation: ended } = file;
  const before = { fileId, generation: ended, mediaType, components: file.components };
  const request = { ...file.options, contentCategory: file.contentCategory };
  const { components, retried, empty } = reopenComponents(file, request, requested);
  if (retried.length === 0 && empty.length === 0) {
    throw new AppError(
      'NOTHING_TO_RETRY',
      'no component of this file failed; name the components to redo them',
    );
  }
  if (retried.length === 0 || empty.some((name) => requested?.includes(name))) {
    throw new AppError(
      'NOTHING_TO_RETRY',
      'nothing is to be extracted from this file: its category has no extractions, and it was uploaded without a saved schema and without a standard; use POST /extract',
    );
  }
  const generation = file.generation + 1;
  await em.transactional(async (tx) => {
    const opened = await tx.nativeUpdate(
      StoredFile,
      {
        id: file.id,
        tenantId,
        generation: file.generation,
        primaryStatus: file.primaryStatus,
        deletedAt: null,
      },
      {
        generation,
        retries: file.retries + 1,
        seq: 0,
        components,
        primaryStatus: primaryStatus(components),
        workflowStartedAt: null,
        ...dueSince(new Date()),
        updatedAt: new Date(),
      },
    );
    if (opened === 0) throw new AppError('WORK_IN_PROGRESS', 'another request has just changed this file');
    const medium = mediumOf(file);
    const paid = (await medium.prepareRetry?.(tx, before, retried, pages)) ?? [];
    await medium.keepResults?.(tx, before, retried);
    const included = await paidBefore(tx, before, retried);
    const due = retried.filter((name) => !paid.includes(name) && !included.includes(name));
    const run = { ...file, fileId, generation };
    for (const reservation of reservationsOf(run, retried, due)) {
      await reserveCredits(tx, {
        tenantId,
        tier,
        apiKeyId: credential && apiKeyIdOf(credential),
        ...reservation,
      });
    }
  });
  return { file: await em.refreshOrFail(file), retried };
}
