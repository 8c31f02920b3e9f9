import type { EntityManager } from '@mikro-orm/postgresql';
import type { Components } from '../../domain/components.ts';
import { reservationIdsOf } from '../../domain/accounts/credits.ts';
import { applyFileEvent, type FileEvent } from '../../domain/file-events.ts';
import { primaryStatus } from '../../domain/primary-status.ts';
import { closeReservations } from '../accounts/credits.ts';
import { LAST_SEQ } from './end-file-run.ts';

/**
 * Ends the files of a session that no run has begun yet, and refunds them. A run that is just starting finds its row
 * ended and changes nothing, see start-file-work.ts.
 *
 * Files with identical components, usually all of them, take one statement: a cancellation must be visible at once.
 */
export async function stopUnstartedFiles(
  tx: EntityManager,
  sessionId: string,
  event: Extract<FileEvent, { type: 'run_cancelled' | 'run_ended_abnormally' }>,
): Promise<void> {
  const files = await tx.execute<{ id: string; generation: number; components: Components }[]>(
    `select id, generation, components from files
     where session_id = ? and workflow_started_at is null and deleted_at is null
       and primary_status in ('pending', 'processing')
     order by id for update`,
    [sessionId],
  );
  const alike = Map.groupBy(files, ({ components }) => JSON.stringify(applyFileEvent(components, event)));
  for (const [components, group] of alike) {
    await tx.execute(
      `update files set components = ?, primary_status = ?, seq = ?, updated_at = now()
       where id in (${group.map(() => '?').join(', ')})`,
      [
        components,
        primaryStatus(JSON.parse(components) as Components),
        LAST_SEQ,
        ...group.map(({ id }) => id),
      ],
    );
  }
  await closeReservations(
    tx,
    files.flatMap(({ id, generation }) => reservationIdsOf(id, generation)),
    'refund',
  );
}
