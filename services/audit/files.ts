import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { WorkflowNotFoundError } from '@temporalio/client';
import { type Invariant, type AuditDeps, inspect, walkFiles } from './invariant.ts';
import { MAX_FOLDER_DEPTH } from '../../domain/limits.ts';
import { ObjectNotFound } from '../../adapters/object-store/object-store.ts';
import { DeletionReceipt } from '../../db/entities/trash/deletion-receipt.ts';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { entries } from '../../domain/components.ts';
import { OPEN_STATUSES } from '../../domain/primary-status.ts';
import type { Engine } from '../../temporal/client.ts';
import { describeRun, type RunView } from '../../temporal/status/describe-run.ts';
import { fetchFoldedRun } from '../../temporal/status/fetch-history.ts';

export const duplicates: Invariant = {
  id: 'I3',
  title: 'one live file per content uploaded with skip_duplicates',
  async *check({ em }) {
    const twice = await em().execute<{ id: string; older: string }[]>(
      `select file.id, older.id as older from files file
       join files older on older.tenant_id = file.tenant_id and older.sha256 = file.sha256
         and older.id <> file.id and (older.created_at, older.id) < (file.created_at, file.id)
       where (file.options->>'skipDuplicates')::boolean and file.deleted_at is null and older.deleted_at is null`,
    );
    for (const { id, older } of twice)
      yield `file ${id} should have been skipped: same content as file ${older}`;
  },
};

export const folders: Invariant = {
  id: 'I12',
  title: 'every live file is in a live folder or the root, and the folders of every tenant are a tree',
  async *check({ em }) {
    const lost = await em().execute<{ id: string; folder_id: string }[]>(
      `select files.id, files.folder_id from files
       join folders on folders.tenant_id = files.tenant_id and folders.id = files.folder_id
       where files.deleted_at is null and folders.deleted_at is not null`,
    );
    for (const { id, folder_id: folder } of lost) yield `file ${id} is in folder ${folder}, which is deleted`;

    // Folders reached by a walk from the root form a tree.
    const astray = await em().execute<{ id: string }[]>(
      `with recursive reached as (
         select tenant_id, id, project_id, 1 as level from folders where parent_id is null and deleted_at is null
         union all
         select child.tenant_id, child.id, child.project_id, reached.level + 1
         from reached join folders child on child.tenant_id = reached.tenant_id and child.parent_id = reached.id
         where child.deleted_at is null and reached.level < ?
           and child.project_id is not distinct from reached.project_id
       )
       select id from folders where deleted_at is null
         and not exists (select from reached where reached.tenant_id = folders.tenant_id and reached.id = folders.id)`,
      [MAX_FOLDER_DEPTH],
    );
    for (const { id } of astray) {
      yield `folder ${id} has a deleted parent, the project of another one, or is in a cycle or too deep`;
    }

    const headless = await em().execute<{ id: string }[]>(
      `select project.id from projects project
       join folders folder on folder.tenant_id = project.tenant_id and folder.id = project.root_folder_id
       where (project.deleted_at is null) <> (folder.deleted_at is null)
         or folder.project_id is distinct from project.id or folder.parent_id is not null`,
    );
    for (const { id } of headless) yield `project ${id} does not own its root folder`;
  },
};

export const originals: Invariant = {
  id: 'I1',
  title: 'every acknowledged file has row, object and equal SHA-256, or the receipt of a purge',
  async *check(deps) {
    yield* inspect(deps.acknowledged, async ({ fileId, sha256 }) => {
      const file =
        (await deps.em().findOne(StoredFile, { id: fileId })) ??
        (await deps.em().findOne(DeletionReceipt, { fileId }));
      if (!file) return `file ${fileId} was acknowledged and has neither row nor receipt`;
      if (file.sha256 !== sha256) return `file ${fileId} has a different SHA-256 than was sent`;
      return undefined;
    });
    yield* inspect(walkFiles(deps), async (file) => {
      const stored = await digest(deps, file.objectKey);
      if (!stored) return `file ${file.id} has no object (${file.objectKey})`;
      if (stored.sha256 !== file.sha256) return `the object of file ${file.id} has a different SHA-256`;
      if (stored.sizeBytes !== file.sizeBytes) return `the object of file ${file.id} has a different size`;
      return undefined;
    });
  },
};

async function digest({ objects }: AuditDeps, key: string) {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  try {
    for await (const chunk of await objects.open(key)) {
      hash.update(chunk as Buffer);
      sizeBytes += (chunk as Buffer).length;
    }
  } catch (error) {
    if (error instanceof ObjectNotFound) return undefined;
    throw error;
  }
  return { sha256: hash.digest('hex'), sizeBytes };
}

const DEADLINE_MS = 10_000;
/**
 * A killed worker may have recorded the last step of a file without reporting it, or may have been sent the workflow's
 * last task: the engine detects both after ten seconds.
 */
const ENDS_WITHIN_MS = 60_000;
const POLL_MS = 500;

export const terminalStates: Invariant = {
  id: 'I5',
  title: 'the terminal state of every file matches its workflow history',
  async *check(deps) {
    const ended = walkFiles(deps, { primaryStatus: { $nin: OPEN_STATUSES }, deletedAt: null });
    yield* inspect(ended, async (file) => {
      const run = await describeEnded(deps.engine, file);
      if (!run) return undefined;
      if (run.outcome === 'running') return `file ${file.id} has ended, its workflow is still running`;
      const folded = await fetchFoldedRun(deps.engine, file.id, run.runId, DEADLINE_MS).catch(unlessExpired);
      if (!folded || folded.superseded || run.generation !== file.generation) return undefined;
      const differing = entries(file.components).filter(
        ([name, { status }]) => folded.components[name]?.status !== status,
      );
      if (differing.length === 0) return undefined;
      return `file ${file.id} differs from its history in ${differing.map(([name]) => name).join(', ')}`;
    });
  },
};

/** The newest run of an ended file, if it has ended or is still running although it had time to end. */
async function describeEnded(engine: Engine, { id, components }: StoredFile): Promise<RunView | undefined> {
  const endedAt = Math.max(0, ...entries(components).map(([, part]) => Date.parse(part.endedAt ?? '') || 0));
  for (;;) {
    const run = await describeRun(engine, id, DEADLINE_MS);
    if (run?.outcome !== 'running' || Date.now() > endedAt + ENDS_WITHIN_MS) return run;
    await delay(POLL_MS);
  }
}

function unlessExpired(error: unknown): undefined {
  if (!(error instanceof WorkflowNotFoundError)) throw error;
}
