import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FILES_IN_FLIGHT, type UploadSessionFile } from '../../../temporal/contract/upload-session.ts';
import { UploadSessionRun } from '../../../workflows/upload-session/upload-session-run.ts';

const file = (id: number, generation = 1): UploadSessionFile => ({
  fileId: `file-${id}`,
  mediaType: 'image',
  generation,
  components: {},
});
const files = (count: number) => Array.from({ length: count }, (_, id) => file(id));
const open = { open: true, sealed: false, paused: false };
const sealed = { ...open, sealed: true };
const ids = (some: UploadSessionFile[]) => some.map(({ fileId }) => fileId);

test('files start in the order in which they arrived, up to the concurrency limit', () => {
  const run = new UploadSessionRun();
  run.stored(files(FILES_IN_FLIGHT + 5));
  const first = run.startable();
  assert.deepEqual(ids(first), ids(files(FILES_IN_FLIGHT)));
  for (const { fileId } of first) run.started(fileId);
  assert.deepEqual(run.startable(), []);
  run.settled('file-3', 1);
  assert.deepEqual(ids(run.startable()), [`file-${FILES_IN_FLIGHT}`]);
});

test('a file that is announced twice counts once', () => {
  const run = new UploadSessionRun();
  run.stored(files(1));
  run.stored(files(1));
  run.refreshed(sealed, files(1));
  run.started('file-0');
  run.settled('file-0', 1);
  run.settled('file-0', 1);
  run.settled('file-9', 1);
  assert.equal(run.finished, true);
  assert.match(run.describe(), /^1 of 1 files ended/);
});

test('a session finishes only once it is sealed, even without files', () => {
  const run = new UploadSessionRun();
  assert.equal(run.finished, false);
  run.refreshed(sealed, []);
  assert.equal(run.finished, true);
});

test('a pause keeps waiting files from starting until the session is resumed', () => {
  const run = new UploadSessionRun();
  run.refreshed({ ...sealed, paused: true }, files(2));
  assert.deepEqual(run.startable(), []);
  run.refreshed(sealed, files(2));
  assert.equal(run.startable().length, 2);
});

test('a file in progress ends when its row has ended', () => {
  const run = new UploadSessionRun();
  run.refreshed(sealed, files(2));
  run.started('file-0');
  run.started('file-1');
  run.settled('file-1', 1);
  assert.deepEqual([run.working, run.finished], [true, false]);
  run.refreshed(sealed, []);
  assert.deepEqual([run.working, run.finished], [false, true]);
});

test('a file that has ended before its row shows it stays ended and is not restarted', () => {
  const run = new UploadSessionRun();
  run.refreshed(sealed, files(1));
  run.started('file-0');
  run.settled('file-0', 1);
  run.refreshed(sealed, files(1));
  assert.deepEqual([run.finished, run.startable()], [true, []]);
});

test('a file that was stored while the row was being read is started', () => {
  const run = new UploadSessionRun();
  run.stored(files(1));
  run.refreshed(sealed, []);
  assert.equal(run.startable().length, 1);
});

test('a reopened file runs again, and the end of its older run is ignored', () => {
  const run = new UploadSessionRun();
  run.refreshed(sealed, [file(0)]);
  run.started('file-0');
  run.refreshed(sealed, [file(0, 2)]);
  run.settled('file-0', 1);
  assert.equal(run.finished, false);
  assert.deepEqual(ids(run.startable()), ['file-0']);
});

test('nothing starts once the row is closed', () => {
  const run = new UploadSessionRun();
  run.refreshed({ ...open, open: false }, files(3));
  assert.deepEqual([run.startable().length, run.finished], [0, true]);
});

/** Events of a session in any order. */
const happening = fc.oneof(
  fc.record({
    type: fc.constant('stored' as const),
    id: fc.nat(30),
    generation: fc.integer({ min: 1, max: 2 }),
  }),
  fc.record({
    type: fc.constant('settled' as const),
    id: fc.nat(30),
    generation: fc.integer({ min: 1, max: 2 }),
  }),
  fc.record({
    type: fc.constant('view' as const),
    paused: fc.boolean(),
    sealed: fc.boolean(),
    open: fc.boolean(),
  }),
  fc.record({ type: fc.constant('start' as const) }),
);

test('for any order of events, concurrency is limited, no file starts twice in a generation, and none after the end', () => {
  fc.assert(
    fc.property(fc.array(happening, { maxLength: 120 }), (story) => {
      const run = new UploadSessionRun();
      const started = new Set<string>();
      let inProgress = 0;
      for (const event of story) {
        if (event.type === 'stored') run.stored([file(event.id, event.generation)]);
        if (event.type === 'settled') run.settled(`file-${event.id}`, event.generation);
        if (event.type === 'view') run.refreshed(event, []);
        if (event.type !== 'start') continue;
        for (const { fileId, generation } of run.startable()) {
          assert.ok(run.open, 'started after the end');
          const key = `${fileId}/${generation}`;
          assert.ok(!started.has(key), `${key} started twice`);
          started.add(key);
          run.started(fileId);
        }
        inProgress = Number(/(\d+) in progress/.exec(run.describe())?.[1]);
        assert.ok(inProgress <= FILES_IN_FLIGHT);
      }
    }),
  );
});
