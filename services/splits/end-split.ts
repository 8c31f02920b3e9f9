import type { EntityManager } from '@mikro-orm/postgresql';
import type { DocumentSplit } from '../../db/entities/splits/document-split.ts';
import type { FailureReason } from '../../domain/components.ts';
import type { SplitTarget } from '../../temporal/contract/split-document.ts';
import { markDue, NOT_DUE } from '../shared/due.ts';
import { lockSplit } from './find-split.ts';

export type SplitEnd =
  /** With an error: parts of a proposal that are missing. */
  | { status: 'completed'; error?: FailureReason }
  | { status: 'cancelled' }
  | { status: 'failed'; error: FailureReason };

/**
 * Ends an open split; the files of its parts stay. Idempotent: one that has ended keeps its end. A cancelled one is due
 * at the engine, since its workflow has to stop.
 *
 * @param more other columns, such as the parts that were found
 * @returns whether it was open
 */
export async function endSplit(
  em: EntityManager,
  target: SplitTarget,
  end: SplitEnd,
  more: Partial<Pick<DocumentSplit, 'parts' | 'leftOut'>> = {},
): Promise<boolean> {
  return em.transactional(async (tx) => {
    const row = await lockSplit(tx, target);
    if (row?.status !== 'processing') return false;
    const now = new Date();
    Object.assign(row, NOT_DUE, end, more, { updatedAt: now, completedAt: now });
    if (end.status === 'cancelled') markDue(row, now);
    return true;
  });
}
