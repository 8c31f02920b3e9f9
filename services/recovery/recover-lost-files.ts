import type { EntityManager } from '@mikro-orm/postgresql';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { OPEN_STATUSES } from '../../domain/primary-status.ts';
import type { Engine } from '../../temporal/client.ts';
import { describeRun } from '../../temporal/status/describe-run.ts';
import { applyVerdict } from '../processing/apply-verdict.ts';
import { dismissFile } from '../upload-sessions/dismiss-files.ts';
import { findOutOfSyncSession } from '../upload-sessions/find-out-of-sync-session.ts';
import { outage } from '../shared/outage.ts';
import { startFileWork } from '../processing/start-file-work.ts';

/** A file that was touched since is in good hands. */
const QUIET_MS = 10 * 60_000;
const PAGE = 200;
const DESCRIBE_DEADLINE_MS = 2000;

export interface RecoverDeps {
  em: EntityManager;
  engine: Engine;
  /** Told after each page how many files were looked at. */
  onProgress: (checked: number) => void;
}

/**
 * Looks for files that their rows call open and their workflows do not: a workflow that was deleted, an engine that
 * lost its data, a verdict that could not be written when it fell, a session that forgot them while they held. Starts
 * them, closes them, or lets them go on. Reads every open row that was quiet for ten minutes, so it runs seldom.
 *
 * @returns how many were mended
 * @throws AggregateError of those that could not be mended, once all were tried
 */
export async function recoverLostFiles(
  { em, engine, onProgress }: RecoverDeps,
  now = new Date(),
): Promise<number> {
  const quietSince = new Date(now.getTime() - QUIET_MS);
  const failures: unknown[] = [];
  let recovered = 0;
  let checked = 0;
  let after = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const files = await em.fork().find(
      StoredFile,
      {
        id: { $gt: after },
        primaryStatus: { $in: OPEN_STATUSES },
        workflowStartedAt: { $lt: quietSince },
        updatedAt: { $lt: quietSince },
        deletedAt: null,
      },
      { orderBy: { id: 'asc' }, limit: PAGE },
    );
    for (const file of files) {
      try {
        if (await recover({ em: em.fork(), engine }, file)) recovered += 1;
      } catch (error) {
        if (outage(error)) throw error;
        failures.push(new Error(`file ${file.id} could not be recovered`, { cause: error }));
      }
    }
    checked += files.length;
    onProgress(checked);
    const last = files.at(-1);
    if (!last || files.length < PAGE) break;
    after = last.id;
  }
  if (failures.length > 0)
    throw new AggregateError(failures, `${failures.length} files could not be recovered`);
  return recovered;
}

async function recover(deps: { em: EntityManager; engine: Engine }, file: StoredFile): Promise<boolean> {
  const run = await describeRun(deps.engine, file.id, DESCRIBE_DEADLINE_MS);
  if (!run || run.generation < file.generation) return startFileWork(deps, file);
  if (run.outcome !== 'running') return applyVerdict(deps, file, run);
  const session = await findOutOfSyncSession(deps, file, run, DESCRIBE_DEADLINE_MS);
  if (session) await dismissFile(deps.engine, file, session, DESCRIBE_DEADLINE_MS);
  return session !== undefined;
}
