import type { EntityManager } from '@mikro-orm/postgresql';
import { primaryStatus } from '../../domain/primary-status.ts';
import { indexDueSql } from '../media/medium.ts';
import type { FileProjection } from './end-file-run.ts';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import type { Engine } from '../../temporal/client.ts';
import type { UploadSessionFile } from '../../temporal/contract/upload-session.ts';
import { FILE_WORKFLOWS, type ProcessFileInput } from '../../temporal/contract/process-file.ts';
import type { PriorityName } from '../../temporal/contract/queues.ts';
import { historyName } from '../../temporal/history-name.ts';
import { ifReachable } from '../../temporal/if-reachable.ts';
import { startWorkflow } from '../../temporal/start-workflow.ts';
import { signalFilesStored } from '../../temporal/upload-session-signals.ts';
import { openSessionOf } from './file-target.ts';

interface BegunWork {
  /** The row's value, from which the run counts, so that a run that was reset to its beginning continues after it. */
  seq: number;
  /** The providers that the tenant allows; null allows any. */
  allowedVlmProviders: readonly string[] | null;
}

/**
 * The first write of a run, and its check that there is work at all, in one statement. Idempotent per run: a late
 * duplicate, when the run has moved on, changes nothing.
 *
 * @returns undefined when the file is gone, deleted, in a newer generation or has ended: then the run must end without
 *   any change
 */
export async function beginFileWork(
  em: EntityManager,
  { fileId, tenantId, generation, components }: Omit<FileProjection, 'seq'>,
  runId: string,
): Promise<BegunWork | undefined> {
  const [row] = await em.execute<{ seq: number; allowed: string[] | null }[]>(
    `update files set
       seq = case when run_id = ? then seq else seq + 1 end,
       components = case when run_id = ? then components else ? end,
       primary_status = case when run_id = ? then primary_status else ? end,
       run_id = ?,
       updated_at = now(),
       workflow_started_at = coalesce(workflow_started_at, now()),
       -- The run has read the row. What is due for its entries in an index as well stays due until those are synced.
       engine_due_at = case when ${indexDueSql()} then engine_due_at end
     where id = ? and tenant_id = ? and generation = ? and deleted_at is null
       and primary_status in ('pending', 'processing')
     returning seq, (select allowed_vlm_providers from tenants where id = tenant_id) as allowed`,
    [
      runId,
      runId,
      JSON.stringify(components),
      runId,
      primaryStatus(components),
      runId,
      fileId,
      tenantId,
      generation,
    ],
  );
  return row && { seq: row.seq, allowedVlmProviders: row.allowed };
}

/**
 * Starts the current generation of a file, through its upload session while that is open, so that the session's pause
 * and concurrency limit apply. Idempotent and safe to run concurrently. The file stays due until its run begins.
 *
 * @param lost whether a run of this generation was started and then lost by the engine; its session counts it as running
 * @returns false when the engine is unreachable, or still busy with the previous generation; the sweep retries
 */
export async function startFileWork(
  { em, engine }: { em: EntityManager; engine: Engine },
  file: StoredFile,
  priority?: PriorityName,
  lost = Boolean(file.workflowStartedAt),
): Promise<boolean> {
  const session = lost ? undefined : await openSessionOf(em, file);
  return session
    ? signalFilesStored(engine, session, [toUploadSessionFile(engine, file, priority)])
    : start(engine, file, priority ?? 'normal');
}

/** A file as the input of its upload session's workflow. */
export function toUploadSessionFile(
  engine: Engine,
  file: StoredFile,
  priority?: PriorityName,
): UploadSessionFile {
  const { id, mediaType, generation, components, workflowStartedAt } = file;
  const name = historyName(engine, file.filename);
  return {
    fileId: id,
    mediaType,
    generation,
    components,
    ...(name !== undefined && { name }),
    ...(workflowStartedAt && { started: true }),
    ...(priority && { priority }),
  };
}

async function start(engine: Engine, file: StoredFile, priority: PriorityName): Promise<boolean> {
  const { id: fileId, tenantId, mediaType, generation, components, sessionId } = file;
  const name = historyName(engine, file.filename);
  const input: ProcessFileInput = {
    fileId,
    tenantId,
    mediaType,
    generation,
    components,
    priority,
    ...(name !== undefined && { name }),
    ...(sessionId && { sessionId }),
  };
  const summary = `${file.contentType}, ${file.sizeBytes} bytes, generation ${generation}`;
  const ids = { tenant_id: tenantId, file_id: fileId };
  const started = await ifReachable(engine, ids, () =>
    startWorkflow(engine, FILE_WORKFLOWS, input, { summary }),
  );
  return started ?? false;
}
