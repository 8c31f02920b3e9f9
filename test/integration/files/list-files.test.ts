import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { seedFiles } from '../../../lab/bench/seed-files.ts';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm, type Orm } from '../../../db/create-orm.ts';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { Tenant } from '../../../db/entities/accounts/tenant.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { PRIMARY_STATUSES } from '../../../domain/primary-status.ts';
import { AppError } from '../../../domain/app-error.ts';
import { Folder } from '../../../db/entities/folders/folder.ts';
import { fileCountSql } from '../../../services/files/folders/read-folders.ts';
import { type FileFilter, fileMatch, type SearchMode } from '../../../services/files/file-filter.ts';
import { BY_RELEVANCE, orderBy, type FileSort, type SortOrder } from '../../../services/files/file-order.ts';
import { countSql, listFiles, pageSql, type FileListQuery } from '../../../services/files/list-files.ts';
import { projectFile } from '../../../services/processing/end-file-run.ts';
import { planNodes } from '../../support/query-plan.ts';

/** Query plans and results of lists on a table of 30,000 files of three tenants. */
let orm: Orm;
let tenantId: string;
const LIVE: FileFilter = { deleted: false };
/** Folders with 30 files, with a tenth of all, and with 20 each; the other files are in the root. */
const FOLDERS = {
  small: randomUUID(),
  large: randomUUID(),
  many: Array.from({ length: 10 }, () => randomUUID()),
};
const inFolders = (...folderIds: string[]): FileFilter => ({
  deleted: false,
  folders: { selection: {}, folderIds },
});

before(async () => {
  orm = createOrm(readConfig([databaseConfig], process.env));
  const em = orm.em.fork();
  tenantId = await newTenant();
  for (const tenant of [await newTenant(), tenantId, await newTenant()]) await seedFiles(em, tenant, 10_000);
  const trash = await em.find(
    StoredFile,
    { tenantId },
    { fields: ['id'], limit: 100, orderBy: { id: 'asc' } },
  );
  await em.nativeUpdate(StoredFile, { id: { $in: trash.map(({ id }) => id) } }, { deletedAt: new Date() });
  await fillFolders();
  await failSome();
  await em.execute('vacuum analyze files');
});

after(() => orm.close(true));

async function fillFolders(): Promise<void> {
  const em = orm.em.fork();
  const sizes: [string, number][] = [
    [FOLDERS.small, 30],
    [FOLDERS.large, 1000],
    ...FOLDERS.many.map((id): [string, number] => [id, 20]),
  ];
  for (const [id, size] of sizes) {
    await em.insert(Folder, { tenantId, id, name: id, createdAt: new Date() });
    await em.execute(
      `update files set folder_id = ? where id in (
         select id from files where tenant_id = ? and folder_id is null order by sha256 limit ?)`,
      [id, tenantId, size],
    );
  }
}

/** A few files of each status but `completed`, as in a library that is in use. */
async function failSome(): Promise<void> {
  for (const status of PRIMARY_STATUSES.filter((one) => one !== 'completed')) {
    await orm.em.fork().execute(
      `update files set primary_status = ? where id in (
         select id from files
         where tenant_id = ? and primary_status = 'completed' and deleted_at is null order by sha256 limit 20)`,
      [status, tenantId],
    );
  }
}

async function newTenant(): Promise<string> {
  const id = randomUUID();
  await orm.em.fork().insert(Tenant, { id, name: 'lists', tier: 'enterprise', createdAt: new Date() });
  return id;
}

const find = (query: Partial<FileListQuery>, tenant = tenantId) =>
  listFiles(orm.em.fork(), tenant, {
    filter: LIVE,
    searchMode: 'all',
    sortOrder: 'desc',
    limit: 20,
    offset: 0,
    searchTimeoutMs: 3000,
    ...query,
  });
const shown = ({ title, filename }: StoredFile) => title ?? filename;

/** Every scan of `files` in the plan of a statement. */
const scans = async (statement: Parameters<typeof orm.em.execute>[0]) =>
  (await planNodes(orm, statement, 'files')).scans;

const SORTS: [FileSort, SortOrder][] = (
  ['created_at', 'content_created_at', 'title', 'size_bytes'] as const
).flatMap(
  (sort) =>
    [
      [sort, 'asc'],
      [sort, 'desc'],
    ] satisfies [FileSort, SortOrder][],
);
const FILTERS: Record<string, FileFilter> = {
  trash: { deleted: true },
  'one tag': { deleted: false, tags: ['harbour'] },
  'two tags': { deleted: false, tags: ['harbour', 'lisbon'] },
  'a rare medium': { deleted: false, mediaTypes: ['document'] },
  'two media': { deleted: false, mediaTypes: ['document', 'image'] },
  failed: { deleted: false, statuses: ['failed'] },
  'in progress': { deleted: false, statuses: ['pending', 'processing'] },
  completed: { deleted: false, statuses: ['completed'] },
  'the failed of a medium': { deleted: false, statuses: ['failed'], mediaTypes: ['image'] },
  'without description': { deleted: false, hasDescription: false },
  ids: { deleted: false, ids: [randomUUID(), randomUUID()] },
  compliance: { deleted: false, complianceStatus: 'failed' },
  'a small folder': inFolders(FOLDERS.small),
  'a large folder': inFolders(FOLDERS.large),
  'a few folders': inFolders(...FOLDERS.many),
  'all folders': inFolders(FOLDERS.small, FOLDERS.large, ...FOLDERS.many),
  'the root': { deleted: false, folders: { selection: {}, folderIds: null } },
  'the trash of a folder': { ...inFolders(FOLDERS.large), deleted: true },
  'a tag in a folder': { ...inFolders(FOLDERS.small), tags: ['harbour'] },
  'a day': { deleted: false, from: new Date('2020-01-03'), to: new Date('2020-01-04') },
};
const SEARCHES: [string, SearchMode][] = [
  ['quartzite', 'all'],
  ['photograph', 'all'],
  ['img', 'all'],
  ['quarzite', 'all'],
  ['obsidian', 'metadata'],
  ['photograph', 'metadata'],
  ['malachite', 'visible_text'],
  ['invoice', 'visible_text'],
];

test('no page needs a full table scan', async () => {
  const em = orm.em.fork();
  const request = { tenantId, filter: LIVE, limit: 20, offset: 0 };
  const statements: [string, ReturnType<typeof pageSql>][] = [];
  for (const [sort, direction] of SORTS) {
    const order = orderBy(sort, direction);
    statements.push([`${sort} ${direction}`, pageSql(em, { ...request, order })]);
  }
  for (const [name, filter] of Object.entries(FILTERS)) {
    for (const [sort, direction] of SORTS) {
      const order = orderBy(sort, direction);
      statements.push([`${name} by ${sort} ${direction}`, pageSql(em, { ...request, filter, order })]);
    }
  }
  for (const [search, mode] of SEARCHES) {
    const match = fileMatch(search, mode);
    for (const order of [BY_RELEVANCE, ...SORTS.map(([sort, direction]) => orderBy(sort, direction))]) {
      statements.push([
        `${mode}: ${search} by ${order.keys[0]?.expression.sql} ${order.order}`,
        pageSql(em, { ...request, match, order }),
      ]);
    }
  }
  for (const [name, statement] of statements) {
    const found = await scans(statement);
    assert.ok(found.length > 0, name);
    assert.ok(!found.includes('Seq Scan'), `${name}: ${found.join(', ')}`);
  }
});

test('no count needs a full table scan', async () => {
  for (const [name, filter] of Object.entries(FILTERS)) {
    const found = await scans(countSql(tenantId, filter, undefined));
    assert.ok(found.length > 0 && !found.includes('Seq Scan'), `${name}: ${found.join(', ')}`);
  }
  for (const [search, mode] of SEARCHES) {
    const found = await scans(countSql(tenantId, LIVE, fileMatch(search, mode)));
    assert.ok(found.length > 0 && !found.includes('Seq Scan'), `${mode}: ${search}: ${found.join(', ')}`);
  }
});

test('the files of a folder are paged by date and counted from its index', async () => {
  const order = orderBy('created_at', 'desc');
  const request = { tenantId, filter: inFolders(FOLDERS.small), limit: 20, offset: 0, order };
  assert.deepEqual(await scans(pageSql(orm.em.fork(), request)), ['Index Scan']);
  const counted = fileCountSql(tenantId, [FOLDERS.small, FOLDERS.large, ...FOLDERS.many]);
  assert.deepEqual(await scans(counted), ['Index Only Scan']);
});

test('the files of a status are paged by date and counted from its index', async () => {
  const filter: FileFilter = { deleted: false, statuses: ['failed'] };
  const order = orderBy('created_at', 'desc');
  const request = { tenantId, filter, limit: 10, offset: 0, order };
  assert.deepEqual(await scans(pageSql(orm.em.fork(), request)), ['Index Scan']);
  assert.deepEqual(await scans(countSql(tenantId, filter, undefined)), ['Index Only Scan']);
  assert.equal((await find({ filter })).totalCount, 20);
  assert.equal((await find({ filter: { deleted: false, statuses: ['failed', 'pending'] } })).totalCount, 40);
});

test('every sort order is read from an index, without sorting', async () => {
  for (const [sort, direction] of SORTS) {
    const statement = pageSql(orm.em.fork(), {
      tenantId,
      filter: LIVE,
      limit: 20,
      offset: 0,
      order: orderBy(sort, direction),
    });
    assert.deepEqual(await scans(statement), ['Index Scan'], `${sort} ${direction}`);
  }
});

test('cursor pages contain each file once, in the same order as offset pages', async () => {
  const own = await newTenant();
  await seedFiles(orm.em.fork(), own, 250);
  for (const [sortBy, sortOrder] of SORTS) {
    const wanted = (await find({ sortBy, sortOrder, limit: 100 }, own)).files.concat(
      (await find({ sortBy, sortOrder, limit: 100, offset: 100 }, own)).files,
      (await find({ sortBy, sortOrder, limit: 100, offset: 200 }, own)).files,
    );
    const ids: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await find({ sortBy, sortOrder, limit: 30, cursor }, own);
      ids.push(...page.files.map(({ id }) => id));
      assert.equal(page.hasMore, page.nextCursor !== null);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    assert.equal(new Set(ids).size, 250);
    assert.deepEqual(
      ids,
      wanted.map(({ id }) => id),
      `${sortBy} ${sortOrder}`,
    );
  }
});

test('files without a content date are last in both directions', async () => {
  for (const sortOrder of ['asc', 'desc'] as const) {
    const { files } = await find({ sortBy: 'content_created_at', sortOrder, offset: 9800, limit: 100 });
    assert.ok(files.every(({ contentCreatedAt }) => contentCreatedAt === null));
    const [first] = (await find({ sortBy: 'content_created_at', sortOrder })).files;
    assert.ok(first?.contentCreatedAt);
  }
});

test('cursor pages by relevance contain each hit once', async () => {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await find({ search: 'quartzite', limit: 7, cursor });
    ids.push(...page.files.map(({ id }) => id));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  const { totalCount } = await find({ search: 'quartzite' });
  assert.equal(ids.length, totalCount);
  assert.equal(new Set(ids).size, totalCount);
});

test('a search is limited to its mode and its tenant', async () => {
  const count = async (search: string, searchMode: SearchMode) =>
    (await find({ search, searchMode })).totalCount;
  assert.ok((await count('malachite', 'all')) > 0);
  assert.equal(await count('malachite', 'metadata'), 0);
  assert.equal(await count('obsidian', 'visible_text'), 0);
  assert.ok((await count('obsidian', 'metadata')) > 0);
  assert.equal((await find({ search: 'quartzite' }, await newTenant())).totalCount, 0);
  assert.equal((await find({ search: '!!!' })).totalCount, 0);
});

test('a typo finds similar words, but only without exact matches', async () => {
  const { files, totalCount } = await find({ search: 'quarzite' });
  assert.equal(totalCount, (await find({ search: 'quartzite' })).totalCount);
  assert.ok(files.every((file) => shown(file).startsWith('quartzite')));
  assert.equal((await find({ search: 'quarzite', searchMode: 'visible_text' })).totalCount, 0);
});

test('a long search that matches nothing reads no names for typos', async () => {
  const pairs = Array.from(
    { length: 330 },
    (_, index) => 'abcdefghij'[index % 10] + 'klmnopqrst'.charAt(index / 10),
  );
  assert.equal(fileMatch(pairs.join(' '), 'all')?.similar, undefined);
  assert.equal((await find({ search: pairs.join(' ') })).totalCount, 0);
});

test('a search beyond its time limit is refused, and its connection is usable afterwards', async () => {
  const timedOut = (error: unknown) => error instanceof AppError && error.code === 'SEARCH_TIMEOUT';
  await assert.rejects(find({ search: 'photograph', searchTimeoutMs: 1 }), timedOut);
  const [row] = await orm.em.fork().execute<{ statement_timeout: string }[]>('show statement_timeout');
  assert.equal(row?.statement_timeout, '20s');
  assert.equal((await find({ searchTimeoutMs: 1 })).files.length, 20);
});

test('the total of a list is correct after uploads, deletions, restores and purges', async () => {
  const own = await newTenant();
  const em = orm.em.fork();
  const totals = async () => [
    (await find({}, own)).totalCount,
    (await find({ filter: { deleted: true } }, own)).totalCount,
  ];
  assert.deepEqual(await totals(), [0, 0]);
  await seedFiles(em, own, 200);
  assert.deepEqual(await totals(), [200, 0]);
  const files = await em.find(StoredFile, { tenantId: own }, { fields: ['id'], limit: 5 });
  const some = { id: { $in: files.map(({ id }) => id) } };
  await em.nativeUpdate(StoredFile, some, { deletedAt: new Date() });
  await em.nativeUpdate(StoredFile, some, { deletedAt: new Date() });
  assert.deepEqual(await totals(), [195, 5]);
  await em.nativeUpdate(StoredFile, { id: files[0]?.id ?? '' }, { deletedAt: null });
  assert.deepEqual(await totals(), [196, 4]);
  await assert.rejects(
    em.transactional(async (tx) => {
      await tx.nativeUpdate(StoredFile, { id: files[0]?.id ?? '' }, { deletedAt: new Date() });
      throw new Error('undone');
    }),
    /undone/,
  );
  assert.deepEqual(await totals(), [196, 4]);
  await em.nativeDelete(StoredFile, { tenantId: own, deletedAt: { $ne: null } });
  assert.deepEqual(await totals(), [196, 0]);
});

test('a projection updates its row but no index', async () => {
  const own = await newTenant();
  const em = orm.em.fork();
  await seedFiles(em, own, 100);
  await em.execute('vacuum analyze files');
  const [file] = await em.find(StoredFile, { tenantId: own }, { limit: 1 });
  assert.ok(file);
  // Counted per transaction, because other tests write to the same table.
  const updates = async (tx: typeof em) => {
    const [row] = await tx.execute<{ all: string; hot: string }[]>(
      `select n_tup_upd as all, n_tup_hot_upd as hot from pg_stat_xact_user_tables where relname = 'files'`,
    );
    return { all: Number(row?.all ?? 0), hot: Number(row?.hot ?? 0) };
  };
  const { all, hot } = await em.transactional(async (tx) => {
    const before = await updates(tx);
    const { components } = file;
    for (let seq = 101; seq <= 120; seq++) {
      assert.ok(await projectFile(tx, { fileId: file.id, tenantId: own, generation: 1, seq, components }));
    }
    const now = await updates(tx);
    return { all: now.all - before.all, hot: now.hot - before.hot };
  });
  assert.equal(all, 20);
  // Updates that do not fit into their page are not HOT; with an indexed column none would be.
  assert.ok(hot >= 5, `${hot} of 20 left the indexes alone`);
});

test('the description of the user is searchable and replaces that of the model in the search', async () => {
  const own = await newTenant();
  const em = orm.em.fork();
  await seedFiles(em, own, 100);
  const [file] = await em.find(
    StoredFile,
    { tenantId: own, uploadDescription: { $like: '%lisbon%' } },
    { limit: 1 },
  );
  assert.ok(file);
  const ids = [file.id];
  const found = async (search: string) => (await find({ search, filter: { ...LIVE, ids } }, own)).totalCount;
  assert.equal(await found('landscape'), 1);
  await em.nativeUpdate(StoredFile, { id: file.id }, { userDescription: 'The crêperie of my aunt' });
  assert.equal(await found('landscape'), 0);
  assert.equal(await found('CREPERIES aunts'), 1);
});
