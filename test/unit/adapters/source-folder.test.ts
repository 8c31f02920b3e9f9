import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:net';
import {
  chmodSync,
  Dir,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { sourceFolderConfig } from '../../../adapters/source-folder/config.ts';
import { allowedFolder } from '../../../adapters/source-folder/allowed-folder.ts';
import { SourceFolderError } from '../../../adapters/source-folder/folder-error.ts';
import { walkFolder, type FolderEntry } from '../../../adapters/source-folder/local-folder.ts';
import { openSourceFolder, type SourceFolder } from '../../../adapters/source-folder/source-folder.ts';

const home = realpathSync(mkdtempSync(join(tmpdir(), 'source-folder-')));
after(() => rmSync(home, { recursive: true, force: true }));
const { signal } = new AbortController();
const tenantId = 'b7e0a1f4-0000-4000-8000-000000000001';

function folder(name: string, files: Record<string, string> = {}): string {
  const path = join(home, name);
  mkdirSync(path, { recursive: true });
  for (const [key, text] of Object.entries(files)) {
    mkdirSync(join(path, key, '..'), { recursive: true });
    writeFileSync(join(path, key), text);
  }
  return path;
}

const folders: SourceFolder[] = [];
after(() => folders.forEach((each) => each.close()));

function opened(path: string, root = path, withinMs?: number): SourceFolder {
  const source = openSourceFolder([{ path: root }], {
    tenantId,
    path,
    ...(withinMs !== undefined && { withinMs }),
  });
  folders.push(source);
  return source;
}

async function listed(path: string): Promise<{ entries: Map<string, FolderEntry>; isPartial: boolean }> {
  const entries = new Map<string, FolderEntry>();
  let isPartial = false;
  for await (const page of opened(path).list(signal)) {
    for (const entry of page.entries) entries.set(entry.key, entry);
    isPartial ||= page.isPartial;
  }
  return { entries, isPartial };
}

const failsWith = (code: SourceFolderError['code']) => (error: unknown) =>
  error instanceof SourceFolderError && error.code === code;

test('the setting allows folders to one account, or to all where it says so', () => {
  const { IMPORT_FOLDERS: folders } = sourceFolderConfig.parse({
    IMPORT_FOLDERS: `*:/srv/scans/, ${tenantId.toUpperCase()}:/srv/own`,
  });
  assert.deepEqual(sourceFolderConfig.parse({}).IMPORT_FOLDERS, []);
  const refused = [
    'scans',
    '/srv/scans',
    '*:scans',
    `${tenantId}:`,
    `${tenantId}:/srv/a/b,*:/srv/a/`,
    `*:/,${tenantId}:/a`,
  ];
  for (const text of refused)
    assert.equal(sourceFolderConfig.safeParse({ IMPORT_FOLDERS: text }).success, false, text);
  const isAllowed = (path: string, of = tenantId) => allowedFolder(folders, of, path) !== undefined;
  for (const path of ['/srv/scans', '/srv/scans/', '/srv/scans/2026', '/srv/own/x/../y'])
    assert.ok(isAllowed(path), path);
  for (const path of [
    '/',
    '/srv',
    '/srv/scans2',
    '/srv/scans/../own2',
    '/srv/scans/../../etc',
    '/srv/scans/..',
  ])
    assert.ok(!isAllowed(path), path);
  assert.ok(!isAllowed('/srv/own', 'another account'));
});

test('files are found at any depth, and what is no file has a reason', async () => {
  const path = folder('tree', { 'a.txt': 'one', 'deep/er/b c.txt': 'two', 'empty.txt': '' });
  const outside = folder('outside', { 'secret.txt': 'secret' });
  symlinkSync(join(outside, 'secret.txt'), join(path, 'link.txt'));
  symlinkSync(outside, join(path, 'link'));
  symlinkSync(path, join(path, 'deep', 'loop'));
  execFileSync('mkfifo', [join(path, 'pipe')]);
  const server = createServer().listen(join(path, 'socket'));
  writeFileSync(Buffer.concat([Buffer.from(`${path}/`), Buffer.from([0xff, 0xfe])]), 'bytes for a name');
  const { entries, isPartial } = await listed(path);
  server.close();
  const files = [...entries.values()].filter(({ problem }) => problem === undefined);
  assert.deepEqual(files.map(({ key, sizeBytes }) => [key, sizeBytes]).toSorted(), [
    ['a.txt', 3],
    ['deep/er/b c.txt', 3],
    ['empty.txt', 0],
  ]);
  for (const key of ['link.txt', 'link', 'deep/loop'])
    assert.match(entries.get(key)?.problem ?? '', /symbolic/);
  for (const key of ['pipe', 'socket']) assert.match(entries.get(key)?.problem ?? '', /ordinary/);
  assert.equal([...entries.values()].filter(({ problem }) => problem?.includes('UTF-8')).length, 1);
  assert.equal(isPartial, false);
});

test('many files come in pages', async () => {
  const path = folder(
    'many',
    Object.fromEntries(Array.from({ length: 1_300 }, (_, i) => [`${i % 7}/${i}`, 'x'])),
  );
  let pages = 0;
  const keys = new Set<string>();
  for await (const { entries } of opened(path).list(signal)) {
    assert.ok(entries.length <= 500);
    pages += 1;
    for (const { key } of entries) keys.add(key);
  }
  assert.ok(pages >= 3);
  assert.equal(keys.size, 1_300);
});

test('folders too far down are named, and make the listing partial', async () => {
  const path = folder('far', { [`${'down/'.repeat(70)}a.txt`]: 'x', 'b.txt': 'y' });
  const { entries, isPartial } = await listed(path);
  assert.equal(isPartial, true);
  assert.equal(entries.get('b.txt')?.problem, undefined);
  assert.deepEqual([...entries.values()].filter(({ problem }) => problem?.includes('64 levels')).length, 1);
});

test('a path that leads out of the allowed folder by a link is denied', async () => {
  const root = folder('root', { 'x.txt': 'x' });
  const outside = folder('beyond', { 'y.txt': 'y' });
  symlinkSync(outside, join(root, 'out'));
  await assert.rejects(opened(join(root, 'out'), root).probe(signal), failsWith('SOURCE_DENIED'));
  assert.throws(() => opened(join(root, '..'), root), failsWith('SOURCE_DENIED'));
  await assert.rejects(opened(join(root, 'missing'), root).probe(signal), failsWith('SOURCE_GONE'));
});

test('what was listed is read while it is the same, and nothing that has taken its place', async () => {
  const path = folder('read', { 'sub/a.txt': 'contents' });
  const outside = folder('away', { 'a.txt': 'contents' });
  const { entries } = await listed(path);
  const { version = '' } = entries.get('sub/a.txt') ?? {};
  const source = opened(path);
  const { content, sizeBytes } = await source.open('sub/a.txt', version, signal);
  assert.deepEqual([sizeBytes, String(await buffer(content))], [8, 'contents']);

  // A change while it is read.
  const { content: changing } = await source.open('sub/a.txt', version, signal);
  writeFileSync(join(path, 'sub/a.txt'), 'CONTENTS');
  await assert.rejects(buffer(changing), failsWith('SOURCE_CHANGED'));
  await assert.rejects(source.open('sub/a.txt', version, signal), failsWith('SOURCE_CHANGED'));

  // A folder on the way, and then the file, become links; the file becomes a pipe that nobody writes.
  renameSync(join(path, 'sub'), join(path, 'was'));
  symlinkSync(outside, join(path, 'sub'));
  await assert.rejects(source.open('sub/a.txt', version, signal), failsWith('SOURCE_DENIED'));
  rmSync(join(path, 'was/a.txt'));
  symlinkSync(join(outside, 'a.txt'), join(path, 'was/a.txt'));
  await assert.rejects(source.open('was/a.txt', version, signal), failsWith('SOURCE_DENIED'));
  rmSync(join(path, 'was/a.txt'));
  execFileSync('mkfifo', [join(path, 'was/a.txt')]);
  await assert.rejects(source.open('was/a.txt', version, signal), failsWith('SOURCE_CHANGED'));
  rmSync(join(path, 'was'), { recursive: true });
  await assert.rejects(source.open('was/a.txt', version, signal), failsWith('SOURCE_GONE'));
});

test(
  'what may not be read is named, and a folder that is missing makes the listing partial',
  { skip: process.getuid?.() === 0 && 'root may read everything' },
  async () => {
    const path = folder('denied', { 'a.txt': 'x', 'sub/b.txt': 'y', 'names/c.txt': 'z' });
    chmodSync(join(path, 'names'), 0o400);
    chmodSync(join(path, 'a.txt'), 0o000);
    chmodSync(join(path, 'sub'), 0o000);
    after(() => execFileSync('chmod', ['-R', 'u+rwx', path]));
    const { entries, isPartial } = await listed(path);
    assert.equal(isPartial, true);
    assert.match(entries.get('sub/')?.problem ?? '', /may not read/);
    assert.match(entries.get('names/c.txt')?.problem ?? '', /may not read/);
    const source = opened(path);
    await assert.rejects(
      source.open('a.txt', entries.get('a.txt')?.version ?? '', signal),
      failsWith('SOURCE_DENIED'),
    );
  },
);

test('an abort ends the listing with its reason', async () => {
  const stop = new AbortController();
  const pages = opened(folder('stopped', { 'a.txt': 'x' })).list(stop.signal);
  stop.abort(new Error('stopped'));
  await assert.rejects(pages.next(), /stopped/);
});

test('a file system that does not answer ends the process that waits for it, and no other', async () => {
  const path = folder('hangs', { 'a.txt': 'x' });
  const children = () => readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').split(' ');
  const before = children();
  const source = opened(path, path, 3_000);
  await source.probe(signal);
  const [pid] = children().filter((one) => !before.includes(one));
  process.kill(Number(pid), 'SIGSTOP');
  const calls = [source.probe(signal), source.list(signal).next(), source.open('a.txt', '1-1', signal)];
  for (const call of await Promise.allSettled(calls))
    assert.ok(call.status === 'rejected' && failsWith('SOURCE_UNAVAILABLE')(call.reason));
  await assert.rejects(source.probe(signal), failsWith('SOURCE_UNAVAILABLE'));
  for (const end = Date.now() + 10_000; children().includes(pid ?? '') && Date.now() < end;) await delay(10);
  await opened(path).probe(signal);
});

test('an entry that vanishes, or that the file system fails to read, ends no listing', async () => {
  const path = folder('fails', { 'a.txt': 'x', 'b.txt': 'y', 'sub/c.txt': 'z' });
  const failing = new Set(['lstat']);
  // oxlint-disable-next-line typescript/unbound-method -- called with a folder below
  const read = Dir.prototype.read as () => Promise<unknown>;
  after(() => void (Dir.prototype.read = read as typeof Dir.prototype.read));
  Dir.prototype.read = async function (this: Dir) {
    const error = (code: string, syscall: string) => Object.assign(new Error(code), { code, syscall });
    if (failing.delete('lstat')) throw error('ENOENT', 'lstat');
    if (this.path.endsWith('/sub')) throw error('EIO', 'scandir');
    return read.call(this);
  } as typeof Dir.prototype.read;
  const entries: FolderEntry[] = [];
  let isPartial = false;
  for await (const page of walkFolder(path)) {
    entries.push(...page.entries);
    isPartial ||= page.isPartial;
  }
  assert.equal(isPartial, true);
  assert.deepEqual(entries.map(({ key }) => key).toSorted(), ['a.txt', 'b.txt', 'sub/']);
  assert.match(entries.find(({ key }) => key === 'sub/')?.problem ?? '', /EIO/);
});
