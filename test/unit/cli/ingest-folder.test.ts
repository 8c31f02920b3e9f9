import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { eachOf, localFailure } from '../../../cli/ingest/sending.ts';
import { hashFile } from '../../../cli/ingest/plan-transfers.ts';
import { Journal } from '../../../cli/ingest/journal.ts';
import { failureTable, humanBytes, summaryLine, Tally } from '../../../cli/ingest/tally.ts';
import { readFailure, walkFolder } from '../../../cli/ingest/walk-folder.ts';

const home = mkdtempSync(join(tmpdir(), 'darkroom-ingest-'));
after(() => rmSync(home, { recursive: true, force: true }));

const file = (path: string, sha256 = path) => ({
  path,
  absolute: join(home, path),
  sizeBytes: 10,
  mtimeMs: 1.5,
  sha256,
});

test('a walk finds visible files in a stable order and follows no links', async () => {
  const folder = join(home, 'walk');
  for (const path of ['b/2.jpg', 'a.jpg', 'B.jpg', 'b/1.jpg', '.x/y.jpg', 'b/.z.jpg']) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), path);
  }
  symlinkSync(folder, join(folder, 'b', 'loop'));
  symlinkSync('/etc/hostname', join(folder, 'outside'));
  symlinkSync('nowhere', join(folder, 'dangling'));
  const { files, unreadable } = await walkFolder(folder);
  assert.deepEqual(
    files.map(({ path }) => path),
    ['B.jpg', 'a.jpg', 'b/1.jpg', 'b/2.jpg'],
  );
  assert.deepEqual(unreadable, []);
  assert.deepEqual((await walkFolder(folder)).files, files);
  await assert.rejects(walkFolder(join(home, 'none')), { code: 'ENOENT' });
});

test('what a NAS, a Mac or Windows keeps beside the files is left out', async () => {
  const folder = join(home, 'nas');
  const kept = ['@home/a.jpg', 'eaDir/b.jpg', 'thumbs.jpg'];
  const left = [
    '@eaDir/a.jpg/SYNOPHOTO_THUMB_M.jpg',
    '#recycle/c.jpg',
    '__MACOSX/d.jpg',
    '@Recycle/e.jpg',
    'Thumbs.db',
  ];
  for (const path of [...kept, ...left]) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), 'x');
  }
  const { files } = await walkFolder(folder);
  assert.deepEqual(
    files.map(({ path }) => path),
    kept,
  );
});

test('a file name that is not UTF-8 is reported, and a FIFO is counted', async () => {
  const folder = join(home, 'odd');
  mkdirSync(join(folder, 'sub'), { recursive: true });
  for (const name of ['bad\xff.jpg', 'bad\xfe.jpg', 'sub/\xe9.png']) {
    writeFileSync(Buffer.from(join(folder, name), 'latin1'), 'x');
  }
  writeFileSync(join(folder, 'été.jpg'), 'x');
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  const { files, unreadable, skipped } = await walkFolder(folder);
  assert.deepEqual(
    [files.map(({ path }) => path), unreadable.map(({ path, code }) => [path, code]), skipped],
    [
      ['été.jpg'],
      [
        [String.raw`bad\xfe.jpg`, 'NAME_NOT_UTF8'],
        [String.raw`bad\xff.jpg`, 'NAME_NOT_UTF8'],
        [String.raw`sub/\xe9.png`, 'NAME_NOT_UTF8'],
      ],
      1,
    ],
  );
});

test('an unreadable file is explained in plain words', () => {
  const denied = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
  assert.deepEqual(readFailure(denied), {
    where: 'reading',
    code: 'EACCES',
    message: 'no read permission',
  });
});

test('a file that was changed or removed after hashing is not sent', async () => {
  const path = join(home, 'moving.jpg');
  writeFileSync(path, 'abc');
  assert.equal(await hashFile(path), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  const [seen] = (await walkFolder(home)).files.filter(({ path }) => path === 'moving.jpg');
  assert.ok(seen);
  const hashed = { ...seen, sha256: 'x' };
  assert.equal(await localFailure(hashed), undefined);
  appendFileSync(path, 'd');
  assert.equal((await localFailure(hashed))?.code, 'CHANGED');
  rmSync(path);
  assert.equal((await localFailure(hashed))?.code, 'ENOENT');
});

test('a reopened journal has its open entries, but no closed ones and no truncated line', async () => {
  const path = join(home, 'deep', 'state.jsonl');
  const first = await Journal.at(path);
  await first.noteHash(file('a.jpg'), 'old');
  await first.noteHash(file('a.jpg'), 'new');
  await first.append({ type: 'sending', key: '1', files: [{ path: 'a.jpg', sha256: 'new' }] });
  await first.append({ type: 'file', key: '2', id: '2', path: 'b.jpg' }, { type: 'closed', key: '2' });
  await first.close();
  appendFileSync(path, '{"type":"closed","key":"1"');

  const second = await Journal.at(path);
  assert.equal(second.hashOf(file('a.jpg')), 'new');
  assert.equal(second.hashOf({ ...file('a.jpg'), sizeBytes: 11 }), undefined);
  assert.deepEqual([...second.open.keys()], ['1']);
  await second.append({ type: 'closed', key: '1' });
  await second.close();

  const third = await Journal.at(path);
  assert.equal(third.open.size, 0);
  await third.close();
  assert.equal(readFileSync(path, 'utf8').trimEnd().split('\n').length, 1);
});

test('files with equal content are sent once or rejected together', () => {
  const tally = new Tally();
  tally.share([file('a', 'x'), file('b', 'x')]);
  tally.share([file('c', 'y'), file('d', 'y')]);
  tally.share([file('e')]);
  tally.sent(file('a', 'x'));
  tally.failed('c', { where: 'upload', code: 'EMPTY_FILE', message: 'no bytes' });
  tally.sent(file('e'));
  tally.failed('e', { where: 'variant', code: 'IMAGE_BROKEN', message: 'cut\noff' });
  assert.equal(
    summaryLine(tally, 7, 1234),
    '1 sent (20 B), 1 already there, 2 rejected, 1 failed, 2 unfinished, in 1.2 s.',
  );
  assert.deepEqual(failureTable(tally), [
    'File  Where    Code          Why',
    'c     upload   EMPTY_FILE    no bytes',
    'd     upload   EMPTY_FILE    no bytes',
    'e     variant  IMAGE_BROKEN  cut off',
  ]);
  assert.deepEqual(failureTable(new Tally()), []);
  assert.deepEqual([999, 1000, 12_345_678].map(humanBytes), ['999 B', '1.0 kB', '12.3 MB']);
});

test('items are processed with limited concurrency, and an error stops further ones', async () => {
  let [now, most, begun] = [0, 0, 0];
  await eachOf([1, 2, 3, 4, 5], 2, async () => {
    now += 1;
    most = Math.max(most, now);
    await new Promise((resolve) => setImmediate(resolve));
    now -= 1;
    begun += 1;
  });
  assert.deepEqual([most, begun], [2, 5]);
  begun = 0;
  const failing = eachOf([1, 2, 3], 1, async () => {
    begun += 1;
    throw new Error('no');
  });
  await assert.rejects(failing, /no/);
  assert.equal(begun, 1);
});
