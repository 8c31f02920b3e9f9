import type { EntityManager } from '@mikro-orm/postgresql';
import { ReprocessedFile } from '../../db/entities/reprocessing/reprocessed-file.ts';
import type { Reprocessing } from '../../db/entities/reprocessing/reprocessing.ts';
import type { AuditEventType } from '../../domain/accounts/audit-events.ts';
import { AppError } from '../../domain/app-error.ts';
import type { FailureReason } from '../../domain/components.ts';
import { REPROCESSING_DAYS } from '../../domain/limits.ts';
import { isReprocessingOpen, PAUSED_BY_REQUEST } from '../../domain/reprocessing.ts';
import type { ReprocessingTarget } from '../../temporal/contract/reprocess-files.ts';
import type { Caller } from '../accounts/principal.ts';
import { recordAuditEvent } from '../audit-log/record-audit-event.ts';
import { markDue } from '../shared/due.ts';
import { lockReprocessing } from './find-reprocessing.ts';

const DAY_MS = 86_400_000;

/** What a caller changes in a reprocessing. */
export type ReprocessingAction = 'pause' | 'resume' | 'cancel' | 'rollback' | 'close';

const AUDITED: Partial<Record<ReprocessingAction, AuditEventType>> = {
  cancel: 'reprocessing.cancelled',
  rollback: 'reprocessing.rolled_back',
  close: 'reprocessing.closed',
};

/**
 * Changes a reprocessing in its row; the caller tells its workflow. Idempotent.
 *
 * - `pause`, `resume`: whether further files begin; files in progress end
 * - `cancel`: no further file begins
 * - `rollback`: of an ended one, once
 * - `close`: gives the former descriptions up
 *
 * @throws AppError NOT_FOUND; REPROCESSING_CONFLICT when its state does not allow this
 */
export async function changeReprocessing(
  em: EntityManager,
  id: string,
  action: ReprocessingAction,
  { tenantId, credential, ipAddress }: Caller,
): Promise<Reprocessing> {
  return em.transactional(async (tx) => {
    const row = await lockReprocessing(tx, { reprocessingId: id, tenantId });
    const changed = await apply(tx, row, action);
    await tx.flush();
    const type = AUDITED[action];
    if (changed && type) {
      const resource = { type: 'reprocessing', id: row.id };
      await recordAuditEvent(tx, { tenantId, type, credential, ipAddress, resource });
    }
    return row;
  });
}

async function apply(tx: EntityManager, row: Reprocessing, action: ReprocessingAction): Promise<boolean> {
  const { status } = row;
  const isOpen = isReprocessingOpen(status);
  switch (action) {
    case 'pause':
      if (!isOpen) throw ended(row);
      if (status === 'paused') return false;
      Object.assign(row, { status: 'paused', pauseReason: PAUSED_BY_REQUEST });
      markDue(row);
      return true;
    case 'resume':
      if (!isOpen) throw ended(row);
      if (status === 'processing') return false;
      Object.assign(row, { status: 'processing', pauseReason: null });
      markDue(row);
      return true;
    case 'cancel':
      if (status === 'cancelled') return false;
      if (!isOpen) throw ended(row);
      Object.assign(row, endAs('cancelled'), { pauseReason: null });
      markDue(row);
      return true;
    case 'rollback':
      if (status === 'rolling_back' || status === 'rolled_back') return false;
      if (isOpen) throw conflict('it is still open; cancel it first');
      if (row.closedAt) throw conflict('it is closed, and the former descriptions are no longer kept');
      if ((await tx.count(ReprocessedFile, { reprocessingId: row.id, status: 'processing' })) > 0)
        throw conflict('some of its files are still being processed; try again when they have ended');
      Object.assign(row, { status: 'rolling_back', error: null });
      markDue(row);
      return true;
    case 'close':
      if (row.closedAt) return false;
      if (isOpen || status === 'rolling_back')
        throw conflict('it is still open; cancel it, or wait for its end');
      Object.assign(row, { closedAt: new Date(), closeAt: new Date() });
      return true;
  }
}

/**
 * Ends an open reprocessing, or a rollback, whose workflow cannot go on. Files in progress end by themselves.
 *
 * @returns whether it was open
 */
export async function failReprocessing(
  em: EntityManager,
  target: ReprocessingTarget,
  error: FailureReason,
): Promise<boolean> {
  return em.fork().transactional(async (tx) => {
    const row = await lockReprocessing(tx, target);
    if (!isReprocessingOpen(row.status) && row.status !== 'rolling_back') return false;
    Object.assign(row, endAs('failed'), { error, pauseReason: null, engineDueAt: null });
    return true;
  });
}

/** Its former descriptions are kept for some time. */
export function endAs(status: 'completed' | 'cancelled' | 'failed') {
  const completedAt = new Date();
  return { status, completedAt, closeAt: new Date(completedAt.getTime() + REPROCESSING_DAYS * DAY_MS) };
}

function ended({ status }: Reprocessing): AppError {
  return conflict(`it has ended: ${status}`);
}

function conflict(message: string): AppError {
  return new AppError('REPROCESSING_CONFLICT', message);
}
