import type { EntityManager } from '@mikro-orm/postgresql';
import {
  includedBefore,
  reservationId,
  reservationIdsOf,
  schemaReservationId,
  settlement,
} from '../../domain/accounts/credits.ts';
import type { ComponentName } from '../../domain/components.ts';
import { chargesOfEach, closeReservations, lastSettlement } from '../accounts/credits.ts';
import type { EndedRun } from '../media/medium.ts';

/**
 * Settles the reservations of an ended run, inside the transaction that closes its row: each by the components it was
 * charged for, so that the pages of a document are spent once they are read, even if its description fails.
 */
export async function settleRun(tx: EntityManager, run: EndedRun): Promise<void> {
  const { fileId, generation } = run;
  // A schema extraction that has ended has closed its own reservation.
  const bySchema = schemaReservationId(fileId, generation);
  const opened = await chargesOfEach(tx, reservationIdsOf(fileId, generation));
  const { spend = [], refund = [] } = Object.groupBy(opened, ({ reservationId: id, charges }) =>
    id === bySchema ? 'refund' : settlement(run, charges),
  );
  await closeReservations(
    tx,
    spend.map(({ reservationId: id }) => id),
    'spend',
  );
  await closeReservations(
    tx,
    refund.map(({ reservationId: id }) => id),
    'refund',
  );
}

/**
 * Which of these components an earlier run paid for without completing them: the credit of an image includes its
 * extractions.
 *
 * @param run the last one, before they run again
 */
export async function paidBefore(
  tx: EntityManager,
  run: EndedRun,
  names: readonly ComponentName[],
): Promise<ComponentName[]> {
  const included = includedBefore(run, names);
  if (included.length === 0) return [];
  const runs = Array.from({ length: run.generation }, (_, at) => reservationId(run.fileId, at + 1));
  return (await lastSettlement(tx, runs)) === 'spend' ? included : [];
}
