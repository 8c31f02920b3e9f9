import type { EntityManager } from '@mikro-orm/postgresql';
import type { FailureReason } from '../../domain/components.ts';

const REASON: FailureReason = {
  code: 'WORKFLOW_ENDED',
  message: 'the processing of the file ended before the extraction did',
};

/**
 * Fails the extraction by a saved schema that the run of a file leaves unfinished, inside the transaction that records
 * the end of that run and settles its credits. Its objects are left to the sweep. Usually there is nothing to do.
 */
export async function endSchemaExtraction(
  tx: EntityManager,
  { fileId, generation }: { fileId: string; generation: number },
): Promise<void> {
  await tx.execute(
    `with open as (
       select id, object_keys from schema_extractions
       where file_id = ? and generation = ? and source = 'upload' and status = 'processing' for update),
     ended as (
       update schema_extractions set status = 'failed', error = ?, object_keys = '{}', completed_at = now(), updated_at = now()
       from open where schema_extractions.id = open.id)
     insert into claimed_objects (object_key, claimed_at)
     select unnest(object_keys), now() - interval '3 hours' from open on conflict do nothing`,
    [fileId, generation, JSON.stringify(REASON)],
  );
}
