import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { reportParts, shortfallsOfParts } from '../../../lab/fuzz/report.ts';
import { Finding, type Outcome, runPart } from '../../../lab/fuzz/run-part.ts';
import {
  addRound,
  type CallerResult,
  countFindings,
  countResponses,
  neverAccepted,
  reportCaller,
  shortfallsOfOperations,
} from '../../../lab/fuzz/schemathesis-report.ts';

const FILES = 'GET /files';
const FOLDERS = 'POST /folders';

/** A caller that got these statuses, each once. */
const caller = (
  statuses: Record<string, number[]>,
  failures: CallerResult['failures'] = [],
): CallerResult => ({
  caller: 'a key',
  cases: Object.values(statuses).flat().length,
  statuses: new Map(
    Object.entries(statuses).map(([operation, all]) => [
      operation,
      new Map(all.map((status) => [status, 1])),
    ]),
  ),
  failures,
  errors: [],
});

test('requests and responses are counted in the events of a run', async () => {
  const interactions = {
    a: { response: { status_code: 200 } },
    b: { response: { status_code: 422 } },
    c: {},
  };
  const cases = {
    a: { value: { method: 'GET', path: '/files' } },
    b: { value: { method: 'GET', path: '/files' } },
  };
  const events = [{ Initialize: {} }, { ScenarioFinished: { recorder: { cases, interactions } } }];
  async function* lines() {
    for (const event of events) yield JSON.stringify(event);
  }
  const { cases: sent, statuses } = await countResponses(lines());
  assert.equal(sent, 3);
  assert.deepEqual(
    [...(statuses.get(FILES) ?? [])],
    [
      [200, 1],
      [422, 1],
    ],
  );
});

test('responses of 5xx, schema breaches and other findings are counted apart', () => {
  const failures = [
    { code: 'ST101', title: 'Server error', count: 1, operations: [FILES] },
    { code: 'ST108', title: 'Response violates schema', count: 2, operations: [FILES] },
    { code: 'ST201', title: 'Schema-violating request accepted', count: 3, operations: [FILES] },
  ];
  const result = caller({ [FILES]: [200, 500, 503] }, failures);
  assert.deepEqual(countFindings(result), { serverErrors: 2, breaches: 2, others: 3 });
  assert.match(
    reportCaller(result, [FILES, FOLDERS]),
    /^a key: 3 cases, 1 of 2 operations: 2 responses of 5xx, 2 schema breaches, 3 other findings$/m,
  );
});

test('rounds of a caller add up', () => {
  const failure = { code: 'ST108', title: 'Response violates schema', count: 1 };
  const first = caller({ [FILES]: [200] }, [{ ...failure, operations: [FILES] }]);
  const both = addRound(first, caller({ [FILES]: [200, 404] }, [{ ...failure, operations: [FOLDERS] }]));
  assert.equal(both.cases, 3);
  assert.deepEqual(both.failures, [{ ...failure, count: 2, operations: [FILES, FOLDERS] }]);
  assert.deepEqual(
    [...(both.statuses.get(FILES) ?? [])],
    [
      [200, 2],
      [404, 1],
    ],
  );
});

test('a run passes with enough cases of every operation and without findings', () => {
  const results = [caller({ [FILES]: [200], [FOLDERS]: [422] })];
  const operations = [FILES, FOLDERS];
  assert.deepEqual(shortfallsOfOperations(results, { asked: 2, operations }), []);
  assert.deepEqual(neverAccepted(results, operations), [FOLDERS]);
  assert.deepEqual(shortfallsOfOperations(results, { asked: 3, operations: [...operations, 'GET /jobs'] }), [
    '2 cases were sent, fewer than the 3 asked for',
    'a key sent nothing to 1 operations: GET /jobs',
  ]);
});

/** A part that handles numbers. */
const numbers = (handle: (number: number) => Outcome, close?: () => Promise<void>) => ({
  name: 'numbers',
  inputs: fc.nat(1_000),
  deadlineMs: 10_000,
  handle: (number: number) => Promise.resolve().then(() => handle(number)),
  save: (number: number) => Promise.resolve({ extension: 'txt', bytes: Buffer.from(`${number}`) }),
  ...(close && { close }),
});
const options = { seed: 1, cases: 300 };
const accepted: Outcome = { result: 'accepted', code: 'even' };

test('a part counts outcomes, and has the smallest input of each finding once', async () => {
  const result = await runPart(
    numbers((number) => {
      if (number > 500) throw new Error(`number ${number} is too large`);
      if (number > 200) throw new Finding('large', `${number}`);
      return number % 2 === 0 ? accepted : { result: 'refused', code: 'odd' };
    }),
    options,
  );
  assert.equal(result.cases, 300);
  const found = result.findings.map(({ kind, bytes }) => [kind, Buffer.from(bytes).toString()]).toSorted();
  assert.deepEqual(found, [
    ['Error: number # is too large', '501'],
    ['large', '201'],
  ]);
  const counted = [...result.outcomes.values(), ...result.findings].reduce(
    (sum, { count }) => sum + count,
    0,
  );
  assert.equal(counted, 300);
  assert.deepEqual(shortfallsOfParts([result]).toSorted(), [
    'numbers: Error: number # is too large',
    'numbers: large',
  ]);
  assert.match(reportParts([result]), /^numbers +300 +\d+ +\d+ +0 +\d+$/m);
  assert.match(reportParts([result]), /^  refused: odd \d+$/m);
});

test('the seed determines the inputs of a part', async () => {
  const seen = async (seed: number) => {
    const inputs: number[] = [];
    const part = numbers((number) => {
      inputs.push(number);
      return accepted;
    });
    await runPart(part, { ...options, seed });
    return inputs;
  };
  assert.deepEqual(await seen(5), await seen(5));
  assert.notDeepEqual(await seen(5), await seen(6));
});

test('examples are handled first, each once', async () => {
  const inputs: number[] = [];
  const part = numbers((number) => {
    inputs.push(number);
    if (number === 7777) throw new Finding('an example', '');
    return accepted;
  });
  await runPart({ ...part, examples: [8888, 7777, 9999] }, options);
  assert.deepEqual(
    inputs.filter((number) => number > 1_000),
    [8888, 7777, 9999],
  );
});

test('a crash that is reported as one is kept, and is no shortfall', async () => {
  const result = await runPart(
    numbers(() => ({ result: 'crashed', code: 'SIGSEGV' })),
    options,
  );
  assert.equal(result.crashes.length, 1);
  assert.deepEqual(shortfallsOfParts([result]), []);
});

test('no outcome in time, what is left at the end, and a part that was stopped are shortfalls', async () => {
  const never = {
    ...numbers(() => accepted),
    deadlineMs: 1,
    handle: () => new Promise<Outcome>(() => undefined),
  };
  const late = await runPart(never, { ...options, cases: 1 });
  assert.deepEqual(shortfallsOfParts([late]), ['numbers: no answer in time']);
  const leaves = numbers(
    () => accepted,
    () => Promise.reject(new Finding('files left behind', '1.pdf')),
  );
  assert.deepEqual(shortfallsOfParts([await runPart(leaves, options)]), ['numbers: files left behind']);
  const stopped = await runPart(
    numbers(() => accepted),
    { ...options, signal: AbortSignal.abort() },
  );
  assert.deepEqual(shortfallsOfParts([stopped]), ['numbers: 0 inputs, fewer than the 300 asked for']);
});
