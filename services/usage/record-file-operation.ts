import type { EntityManager } from '@mikro-orm/postgresql';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { operationOf, originOf, reservationId, reservationIdsOf } from '../../domain/accounts/credits.ts';
import type { FileOperation } from '../../domain/pipelines/pipeline.ts';
import { totalCredits, type Charge } from '../../domain/operations.ts';
import { nameUuid } from '../shared/ids.ts';
import { recordOperation, type OperationRecord } from './record-operation.ts';

/** What a run of a file has made, and with what; or, with an `errorCode`, what it has tried. */
export interface FileOperationRecord extends Pick<
  OperationRecord,
  'provider' | 'model' | 'usage' | 'durationMs' | 'errorCode'
> {
  operation: FileOperation;
}

export interface RecordOptions {
  ifCharged?: boolean;
  part?: 'domains' | 'compliance' | `page/${number}`;
  included?: boolean;
}

/**
 * Records an operation of a file's run, in the transaction that stores its result: once for each operation and
 * generation. What it costs and who asked for it are those of the run's reservation; what has failed costs nothing.
 *
 * @param options.ifCharged whether to record nothing when the run has not reserved credits for the operation
 * @param options.part tells several records of one operation apart; of these, one has the credits
 * @param options.included whether another part has the credits
 */
export async function recordFileOperation(
  tx: EntityManager,
  file: StoredFile,
  { operation: kind, ...record }: FileOperationRecord,
  { ifCharged = false, part, included = false }: RecordOptions = {},
): Promise<void> {
  const { id: fileId, tenantId, generation } = file;
  const operation = operationOf(kind, originOf(file));
  const reservationIds = reservationIdsOf(fileId, generation);
  const entries = await tx.execute<{ charges: Charge[]; api_key_id: string | null }[]>(
    `select charges, api_key_id from credit_entries
     where reservation_id in (${reservationIds.map(() => '?').join(', ')}) and not closes`,
    reservationIds,
  );
  const charges = entries.flatMap((entry) =>
    entry.charges.filter((charge) => charge.operation === operation),
  );
  if (ifCharged && charges.length === 0) return;
  await recordOperation(tx, {
    ...record,
    id: nameUuid(`${kind}/${fileId}/${generation}${part ? `/${part}` : ''}`),
    tenantId,
    operation,
    fileId,
    credits: included || record.errorCode !== undefined ? 0 : totalCredits(charges),
    reservationId: reservationId(fileId, generation),
    apiKeyId: entries[0]?.api_key_id ?? undefined,
  });
}
