import type { EntityManager } from '@mikro-orm/postgresql';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { UploadIntent } from '../../db/entities/uploads/upload-intent.ts';
import { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import { OPEN_STATUSES } from '../../domain/primary-status.ts';
import { OPEN_UPLOAD_SESSION_STATUSES } from '../../domain/upload-sessions/upload-session.ts';
import { OPEN_INTENT_STATUSES } from '../../domain/uploads/upload-intent.ts';
import type { Engine } from '../../temporal/client.ts';
import { describeRun, type RunView } from '../../temporal/status/describe-run.ts';
import { describeUploadSessionRun } from '../../temporal/status/describe-upload-session-run.ts';
import { describeDirectUploadRun } from '../../temporal/status/describe-direct-upload-run.ts';
import { findOutOfSyncSession } from '../upload-sessions/find-out-of-sync-session.ts';
import type { Invariant } from './invariant.ts';
import { inspect, walk, walkFiles } from './walk.ts';

const DEADLINE_MS = 10_000;
/** A file may take so long to its next safe point. */
const STOPPING_MS = 120_000;

/** What the sweep looks for is left out: it has no workflow yet, and will have one. */
export const openWork: Invariant = {
  id: 'I11',
  title:
    'every open file, session and upload has a running workflow or waits in the sweep, and none holds in vain',
  async *check({ em, engine }) {
    const files = walkFiles(
      { em },
      { primaryStatus: { $in: OPEN_STATUSES }, deletedAt: null, workflowStartedAt: { $ne: null } },
    );
    yield* inspect(files, async (file) => {
      const run = await describeRun(engine, file.id, DEADLINE_MS);
      return lost('file', file.id, run) ?? (run && deserted({ em: em(), engine }, file, run));
    });

    const sessions = walk(em, UploadSession, {
      status: { $in: OPEN_UPLOAD_SESSION_STATUSES },
      workflowStartedAt: { $ne: null },
    });
    yield* inspect(sessions, async ({ id }) =>
      lost('session', id, await describeUploadSessionRun(engine, id, DEADLINE_MS)),
    );

    const uploads = walk(em, UploadIntent, {
      status: { $in: OPEN_INTENT_STATUSES },
      signalledAt: { $ne: null },
    });
    yield* inspect(uploads, async ({ id }) =>
      lost('upload', id, await describeDirectUploadRun(engine, id, DEADLINE_MS)),
    );
  },
};

async function deserted(
  deps: { em: EntityManager; engine: Engine },
  file: StoredFile,
  run: RunView,
): Promise<string | undefined> {
  const session = await findOutOfSyncSession(deps, file, run, DEADLINE_MS);
  // What was just cancelled is let finish its step.
  const recent = session?.completedAt && Date.now() - session.completedAt.getTime() < STOPPING_MS;
  if (!session || recent) return undefined;
  return `file ${file.id} is open and at work or held, its session ${session.id} ${session.status}`;
}

function lost(what: string, id: string, run: { outcome: string } | undefined): string | undefined {
  if (!run) return `${what} ${id} is open and has no workflow`;
  return run.outcome === 'running' ? undefined : `${what} ${id} is open, its workflow ${run.outcome}`;
}
