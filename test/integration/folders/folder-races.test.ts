import { ownerOf } from '../../support/principals.ts';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, test } from 'node:test';
import { seedFiles } from '../../../lab/bench/seed-files.ts';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm, type Orm } from '../../../db/create-orm.ts';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { Folder } from '../../../db/entities/folders/folder.ts';
import { Project } from '../../../db/entities/folders/project.ts';
import { AppError } from '../../../domain/app-error.ts';
import { MAX_FOLDERS } from '../../../domain/limits.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { folders as foldersInvariant } from '../../../services/audit/files.ts';
import type { AuditDeps } from '../../../services/audit/invariant.ts';
import { changeFile } from '../../../services/files/change-file.ts';
import {
  changeFolder,
  createFolder,
  lockFolder,
  lockFolderTree,
} from '../../../services/files/folders/folders.ts';
import { createProject } from '../../../services/files/folders/create-project.ts';
import { deleteFolder, deleteProject } from '../../../services/trash/delete-folder.ts';
import { moveToTrash } from '../../../services/trash/delete-files.ts';
import {
  emptyDeletedFolders,
  emptyFolder,
  removeDeletedFolders,
} from '../../../services/trash/empty-folders.ts';
import { restoreFile } from '../../../services/trash/restore-file.ts';
import { createEngine, type Engine } from '../../../temporal/client.ts';
import { temporalConfig } from '../../../temporal/config.ts';
import { eventually, sharedRun } from '../../support/api.ts';
import { collect } from '../../support/collect.ts';
import { ingestImage } from '../../support/ingest-image.ts';
import { createOwnTenant } from '../../support/own-tenant.ts';

/** Concurrent changes of folders, and deletions that are interrupted, on the servers of the shared stack. */
let orm: Orm;
let engine: Engine;
let unreachable: Engine;
let tenantId: string;
before(() => {
  orm = createOrm(readConfig([databaseConfig], process.env));
  const config = readConfig([temporalConfig], process.env);
  engine = createEngine(config);
  unreachable = createEngine({ ...config, TEMPORAL_ADDRESS: '127.0.0.1:1' });
});
beforeEach(async () => {
  ({ tenantId } = await createOwnTenant(orm, sharedRun()));
});
after(async () => {
  await unreachable.close();
  await engine.close();
  await orm.close(true);
});

/** For deletions that must not be cut short by a slow machine. */
const PATIENT_MS = 300_000;
const em = () => orm.em.fork();
const deps = () => ({ em: em(), engine });
const create = (name: string, parentId?: string) =>
  createFolder(em(), tenantId, { id: randomUUID(), name, parentId });
const ingest = async (folderId?: string) => ingestImage(em(), tenantId, undefined, folderId);
const rowOf = (id: string) => em().findOneOrFail(StoredFile, { id });
const liveIn = (folderId: string) => em().count(StoredFile, { tenantId, folderId, deletedAt: null });
const codes = (results: PromiseSettledResult<unknown>[]) =>
  results
    .map((result) =>
      result.status === 'fulfilled'
        ? 'ok'
        : result.reason instanceof AppError
          ? result.reason.code
          : String(result.reason),
    )
    .toSorted();
/** The findings of the audit in this tenant; other tests delete folders at the same time. */
async function audit(): Promise<string[]> {
  const found = await collect(foldersInvariant.check({ em } as Pick<AuditDeps, 'em'> as AuditDeps));
  const own = (await em().find(Folder, { tenantId })).map(({ id }) => id);
  return found.filter((line) => own.some((id) => line.includes(id)));
}

/** Starts all work while a transaction holds a lock that it needs, and releases the lock once all of it waits. */
async function atOnce(
  lock: (tx: ReturnType<typeof em>) => Promise<unknown>,
  work: (() => Promise<unknown>)[],
): Promise<string[]> {
  const running = await em().transactional(async (tx) => {
    await lock(tx);
    const [holder] = await tx.execute<{ pid: number }[]>('select pg_backend_pid() as pid');
    const started = work.map((one) => one());
    const settled = Promise.allSettled(started);
    await eventually(async () => {
      const [row] = await em().execute<{ waiting: string }[]>(
        // Waiting for the lock directly or behind each other.
        `with recursive waiting as (
           select ?::int as pid
           union
           select activity.pid from waiting join pg_stat_activity activity
             on waiting.pid = any(pg_blocking_pids(activity.pid))
         ) select count(*) - 1 as waiting from waiting`,
        [holder?.pid],
      );
      assert.ok(Number(row?.waiting) >= work.length);
    });
    return { settled };
  });
  return codes(await running.settled);
}

test('if two moves together would form a cycle, one is rejected', async () => {
  const [one, two] = [await create('one'), await create('two')];
  const outcomes = await atOnce(
    (tx) => lockFolderTree(tx, tenantId),
    [
      () => changeFolder(em(), tenantId, one.id, { parentId: two.id }),
      () => changeFolder(em(), tenantId, two.id, { parentId: one.id }),
    ],
  );
  assert.deepEqual(outcomes, ['FOLDER_CYCLE', 'ok']);
  assert.deepEqual(await audit(), []);
});

test('one of several concurrent creations of the same name succeeds', async () => {
  for (const parentId of [undefined, (await create('parent')).id]) {
    const outcomes = await atOnce(
      (tx) => lockFolderTree(tx, tenantId),
      Array.from({ length: 3 }, () => () => create('same', parentId)),
    );
    assert.deepEqual(outcomes, ['NAME_TAKEN', 'NAME_TAKEN', 'ok']);
  }
  const row = { tenantId, name: 'same', createdAt: new Date() };
  await assert.rejects(em().insert(Folder, { ...row, id: randomUUID() }), /folders_name/);
});

test('a deletion waits for a file that is being put into the folder, and moves it to the trash', async () => {
  const { id } = await create('folder');
  let fileId = '';
  const outcomes = await atOnce(
    async (tx) => {
      fileId = (await ingestImage(tx, tenantId, undefined, id)).id;
    },
    [() => deleteFolder(deps(), tenantId, id, true)],
  );
  assert.deepEqual(outcomes, ['ok']);
  assert.ok((await rowOf(fileId)).deletedAt);
});

test('a deletion without recursive waits for a file that is being put into the folder, and is rejected', async () => {
  const { id } = await create('folder');
  const outcomes = await atOnce(
    (tx) => ingestImage(tx, tenantId, undefined, id),
    [() => deleteFolder(deps(), tenantId, id, false)],
  );
  assert.deepEqual(outcomes, ['FOLDER_NOT_EMPTY']);
});

test('uploads, moves and restores into a folder that is being deleted find it gone', async () => {
  const { id } = await create('folder');
  const file = await ingest();
  const trashed = await ingest(id);
  await moveToTrash(em(), tenantId, trashed.id, []);
  const principal = ownerOf(tenantId);
  const outcomes = await atOnce(
    (tx) =>
      tx.execute('update folders set deleted_at = now() where tenant_id = ? and id = ?', [tenantId, id]),
    [
      () => ingest(id),
      () => changeFile(em(), file, { folderId: id }),
      () => restoreFile(em(), principal, trashed),
    ],
  );
  assert.deepEqual(outcomes, ['NOT_FOUND', 'NOT_FOUND', 'ok']);
  assert.equal(await liveIn(id), 0);
  assert.equal((await rowOf(file.id)).folderId, null);
  const restored = await rowOf(trashed.id);
  assert.deepEqual([restored.folderId, restored.deletedAt], [null, null]);
});

test('uploads in any order with deletions leave no file in a deleted folder', async () => {
  for (let round = 0; round < 3; round++) {
    const top = await create(`round ${round}`);
    const below = await create('below', top.id);
    const uploads = Array.from({ length: 12 }, (_, index) => ingest(index % 2 ? top.id : below.id));
    const deletion = deleteFolder(deps(), tenantId, top.id, true, PATIENT_MS);
    const results = await Promise.allSettled(uploads);
    assert.deepEqual(
      codes(results).filter((code) => code !== 'ok' && code !== 'NOT_FOUND'),
      [],
    );
    assert.equal((await deletion).pendingFiles, 0);
    const stored = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value.id] : []));
    const live = await em().count(StoredFile, { id: { $in: stored }, deletedAt: null });
    assert.equal(live, 0);
  }
  assert.deepEqual(await audit(), []);
});

/** Whether a statement reads the next page of files in a deleted folder. */
const isPage = (statement: unknown) =>
  typeof statement === 'string' && statement.includes('order by created_at');

/** A folder with many completed files, as rows only. */
async function largeFolder(files: number): Promise<Folder> {
  const folder = await create('large');
  await seedFiles(em(), tenantId, files);
  await em().nativeUpdate(
    StoredFile,
    { tenantId },
    { folderId: folder.id, describedAt: null, workflowStartedAt: null },
  );
  return folder;
}

test('an interrupted deletion is continued by a repeat and by the sweep, each file once', async () => {
  const { id } = await largeFolder(125);
  const cut = em();
  let pages = 0;
  const read = cut.execute.bind(cut);
  cut.execute = ((...args: Parameters<typeof read>) => {
    if (isPage(args[0]) && (pages += 1) === 2) throw new Error('killed');
    return read(...args);
  }) as typeof cut.execute;
  await assert.rejects(deleteFolder({ em: cut, engine }, tenantId, id, true, PATIENT_MS), /killed/);
  assert.equal(await liveIn(id), 100);
  await assert.rejects(create('x', id), { code: 'NOT_FOUND' });
  await create('large');

  const page = { folder: await em().findOneOrFail(Folder, { tenantId, id }), until: Date.now() };
  assert.deepEqual(await emptyFolder(deps(), page.folder, page.until), { moved: 0, emptied: false });
  const hurried = await deleteFolder(deps(), tenantId, id, true, 0);
  assert.deepEqual([hurried.files, hurried.pendingFiles], [0, 100]);
  const again = await deleteFolder(deps(), tenantId, id, true, PATIENT_MS);
  assert.deepEqual([again.files, again.pendingFiles, again.folders], [100, 0, 1]);
  assert.deepEqual(again.deletedAt, page.folder.deletedAt);
  await assert.rejects(deleteFolder(deps(), tenantId, id, true), { code: 'NOT_FOUND' });
  assert.equal(await em().count(StoredFile, { tenantId, folderId: id, deletedAt: { $ne: null } }), 125);

  await em().nativeUpdate(Folder, { tenantId, id }, { emptyDueAt: new Date(0) });
  const some = await em().find(StoredFile, { tenantId, folderId: id }, { limit: 5 });
  await em().nativeUpdate(StoredFile, { id: { $in: some.map((file) => file.id) } }, { deletedAt: null });
  await eventually(async () => {
    await emptyDeletedFolders(deps(), 30, Date.now() + PATIENT_MS);
    assert.equal(await liveIn(id), 0);
    assert.equal((await em().findOneOrFail(Folder, { tenantId, id })).emptyDueAt, null);
  });
});

test('documents in progress block the deletion of a folder, and those that start during it are deleted when they end', async () => {
  const folder = await create('documents');
  const [busy, other] = [await ingest(folder.id), await ingest(folder.id)];
  const reading = { mediaType: 'document', components: { text_extraction: { status: 'queued' } } } as const;
  await em().nativeUpdate(StoredFile, { id: busy.id }, reading);
  // Without the engine it is unknown whether they wait for a paused session.
  const withoutEngine = { ...deps(), engine: unreachable };
  await assert.rejects(deleteFolder(withoutEngine, tenantId, folder.id, true), (error: AppError) => {
    assert.equal(error.code, 'WORK_IN_PROGRESS');
    assert.ok(error.message.includes(busy.id));
    return true;
  });
  assert.equal(await liveIn(folder.id), 2);
  assert.equal((await em().findOneOrFail(Folder, { tenantId, id: folder.id })).deletedAt, null);

  const { components, mediaType } = other;
  await em().nativeUpdate(StoredFile, { id: busy.id }, { mediaType, components });
  // A document is retried between the deletion of the folder and that of its files.
  const late = em();
  const read = late.execute.bind(late);
  late.execute = (async (...args: Parameters<typeof read>) => {
    if (isPage(args[0])) {
      await em().nativeUpdate(StoredFile, { id: busy.id }, reading);
    }
    return read(...args);
  }) as typeof late.execute;
  const deletion = await deleteFolder({ ...withoutEngine, em: late }, tenantId, folder.id, true);
  assert.deepEqual([deletion.files, deletion.pendingFiles], [1, 1]);
  await em().nativeUpdate(StoredFile, { id: busy.id }, { mediaType, components });
  await em().nativeUpdate(Folder, { tenantId, id: folder.id }, { emptyDueAt: new Date(0) });
  await emptyDeletedFolders(deps(), 30, Date.now() + PATIENT_MS);
  await eventually(async () => assert.equal(await liveIn(folder.id), 0));
});

test('rows of deleted folders and projects are removed after thirty days, once no file refers to them', async () => {
  const named = {
    id: randomUUID(),
    name: 'project',
    description: null,
    defaultContentCategory: null,
    defaultSchemaId: null,
  };
  const project = await createProject(em(), tenantId, named);
  const inner = await createFolder(em(), tenantId, {
    id: randomUUID(),
    name: 'inner',
    projectId: project.id,
  });
  const [empty, kept, young] = [await create('empty'), await create('kept'), await create('young')];
  const below = await create('below', kept.id);
  const file = await ingest(below.id);
  await deleteProject(deps(), tenantId, project.id, true);
  for (const { id } of [empty, kept, young]) await deleteFolder(deps(), tenantId, id, true);
  const daysAgo = (days: number) => ({ deletedAt: new Date(Date.now() - days * 86_400_000) });
  await em().nativeUpdate(Folder, { tenantId }, daysAgo(31));
  await em().nativeUpdate(Folder, { tenantId, id: young.id }, daysAgo(29));
  await removeDeletedFolders(em());
  const left = async () => (await em().find(Folder, { tenantId })).map(({ id }) => id).toSorted();
  assert.deepEqual(await left(), [kept.id, young.id, below.id].toSorted());
  assert.equal(await em().count(Project, { tenantId }), 0);
  assert.ok(!(await left()).includes(inner.id));

  await em().nativeUpdate(StoredFile, { id: file.id }, { folderId: null });
  await removeDeletedFolders(em());
  assert.deepEqual(await left(), [young.id]);
});

test('a file can be locked into a folder by many uploads at the same time', async () => {
  const { id } = await create('busy');
  await em().transactional(async (tx) => {
    assert.equal(await lockFolder(tx, tenantId, id), true);
    await ingest(id);
  });
  assert.equal(await lockFolder(em(), randomUUID(), id), false);
  assert.equal(await liveIn(id), 1);
});

test('an account may have ten thousand folders', async () => {
  await em().execute(
    `insert into folders (tenant_id, id, name, created_at)
     select ?, gen_random_uuid(), n::text, now() from generate_series(1, ?) as n`,
    [tenantId, MAX_FOLDERS - 1],
  );
  await create('the last');
  await assert.rejects(create('one more'), { code: 'TOO_MANY_FOLDERS' });
  const named = {
    id: randomUUID(),
    name: 'project',
    description: null,
    defaultContentCategory: null,
    defaultSchemaId: null,
  };
  await assert.rejects(createProject(em(), tenantId, named), { code: 'TOO_MANY_FOLDERS' });
});

test('the audit finds files in deleted folders and folders outside the tree', async () => {
  const [one, two] = [await create('one'), await create('two')];
  const file = await ingest(one.id);
  await em().nativeUpdate(Folder, { tenantId, id: one.id }, { deletedAt: new Date() });
  assert.deepEqual(await audit(), [`file ${file.id} is in folder ${one.id}, which is deleted`]);
  await em().nativeUpdate(Folder, { tenantId, id: two.id }, { parentId: two.id });
  assert.equal((await audit()).length, 2);
  await em().nativeUpdate(Folder, { tenantId, id: two.id }, { parentId: null });
  await em().nativeUpdate(Folder, { tenantId, id: one.id }, { deletedAt: null });
  assert.deepEqual(await audit(), []);
});
