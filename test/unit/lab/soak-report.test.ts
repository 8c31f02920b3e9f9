import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Minute,
  type Sample,
  replacedProcesses,
  slopeOf,
  summariseMinute,
} from '../../../lab/soak/minutes.ts';
import { findingsOf, minuteTable, report, unjudgedIn } from '../../../lab/soak/report.ts';
import { readGauges } from '../../../lab/soak/run-soak.ts';

const MB = 1e6;
const usage = (rss: number, pid = 1) => ({
  processes: { [pid]: rss * MB },
  rss: rss * MB,
  anonymous: (rss - 50) * MB,
  descriptors: 20,
  connections: 3,
});
const own = { heap: 60 * MB, external: 5 * MB, handles: 7 };
const soak = (minutes: Minute[], problems = new Map<string, number>()) => ({
  minutes,
  warmUpMinutes: 20,
  rate: 2,
  files: 7200,
  problems,
});
const minutesOf = (sample: (minute: number) => Sample) =>
  Array.from({ length: 60 }, (_, index) => summariseMinute(index + 1, [sample(index + 1)]));

test('a minute is reported with its lowest memory and its highest counts', () => {
  const busy = { ...usage(400), descriptors: 90, ...own, heap: 80 * MB };
  const { roles } = summariseMinute(3, [
    new Map([['api', { ...usage(300), ...own }]]),
    new Map([['api', busy]]),
    new Map([['api', usage(350)]]),
  ]);
  const api = roles.get('api');
  assert.ok(api);
  assert.deepEqual([api.rss, api.heap, api.descriptors], [300 * MB, 60 * MB, 90]);
  assert.deepEqual(api.peaks, { 1: 400 * MB });
  assert.match(minuteTable({ minute: 3, roles }, 'note'), /^api +300\.0 +250\.0 +60\.0 +5\.0 +7 +90 +3$/m);
});

test('only a rise after the warm-up is a finding', () => {
  const minutes = minutesOf(
    (minute) =>
      new Map([
        ['settles', { ...usage(300 + 5 * Math.min(minute, 20)), ...own }],
        ['leaks', usage(300 + minute)],
      ]),
  );
  assert.deepEqual(findingsOf(soak(minutes)), ['the memory of leaks rises by 60.0 ± 0.0 MB an hour']);
  assert.match(report(soak(minutes)), /^leaks .* rises$/m);
  assert.match(report(soak(minutes)), /^settles .* level$/m);
  assert.match(report(soak(minutes)), /FOUND something: .* 1 level, 0 unclear, 1 rising$/);
});

test('processes that are replaced are judged by their peak memory', () => {
  const life = (minute: number) => Math.floor(minute / 5);
  const minutes = minutesOf(
    (minute) => new Map([['worker index', usage(100 + 9 * (minute % 5), life(minute))]]),
  );
  const after = minutes.slice(20);
  assert.equal(replacedProcesses(after, 'worker index').length, 8);
  assert.equal(slopeOf(after, 'worker index', 'rss')?.perHour, 0);
  assert.deepEqual(findingsOf(soak(minutes)), []);
});

test('a failed request is a finding, and a soak that was stopped early has a report', () => {
  const minutes = minutesOf(() => new Map([['api', usage(300)]])).slice(0, 2);
  assert.deepEqual(findingsOf(soak(minutes, new Map([['a file is failed', 2]]))), ['2 × a file is failed']);
  assert.match(report(soak(minutes)), /^api .* too few samples$/m);
  assert.match(report(soak([])), /0 minutes/);
});

test('a soak passes only if it could judge every process', () => {
  const level = minutesOf(() => new Map([['api', usage(300)]]));
  assert.deepEqual(unjudgedIn(soak(level)), []);
  assert.match(report(soak(level)), /^soak passed: 60 minutes, .* 1 level, 0 unclear, 0 rising$/m);

  for (const minutes of [[], level.slice(0, 20), level.slice(0, 24)]) {
    assert.deepEqual(unjudgedIn(soak(minutes)), [minutes.length === 0 ? 'every process' : 'api']);
    assert.match(report(soak(minutes)), /^soak was too short to judge: /m);
  }
  const late = minutesOf(
    (minute) =>
      new Map([
        ['api', usage(300)],
        ['noisy', usage(300 + minute / 10 + 20 * (minute % 2))],
        ...(minute > 58 ? [['late', usage(100)] as const] : []),
      ]),
  );
  assert.deepEqual(unjudgedIn(soak(late)), ['noisy', 'late']);
  assert.match(report(soak(late)), /^ {2}\? too short to judge noisy, late: run it for longer$/m);
  assert.match(report(soak(late, new Map([['a file is failed', 1]]))), /^soak FOUND something: /m);
});

test('the figures of a process are read from its metrics', () => {
  const text = `# HELP nodejs_heap_size_used_bytes Process heap size used from Node.js in bytes.
nodejs_heap_size_used_bytes 6.1e7
nodejs_external_memory_bytes 5000000
nodejs_active_handles{type="Socket"} 6
nodejs_active_handles_total 7
`;
  assert.deepEqual(readGauges(text), { heap: 61 * MB, external: 5 * MB, handles: 7 });
  assert.deepEqual(readGauges('nodejs_heap_size_used_bytes 1\n'), {});
});

test('the report shows what has accumulated, and the memory of each process as a chart', () => {
  const minutes = minutesOf(
    (minute) => new Map([['api', { ...usage(300 + minute), ...own, connections: minute }]]),
  );
  for (const minute of minutes) {
    minute.leftovers = { 'temporary files': 4, 'longest history': 10 * minute.minute };
  }
  const text = report(soak(minutes));
  assert.match(text, /^connections +28 +60$/m);
  assert.match(text, /^temporary files +4 +4$/m);
  assert.match(text, /^longest history +280 +600$/m);
  assert.match(text, /^api +▁{9}▂.*▇█ {2}301 – 360$/m);
});
