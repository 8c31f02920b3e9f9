import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { settings } from '../../../cli/doctor/checks/settings.ts';
import {
  connectionRemedy,
  explainError,
  type Area,
  type Finding,
  isPrivateHost,
  reportClock,
  findingsTable,
  runChecks,
  summaryOf,
} from '../../../cli/doctor/run-checks.ts';

const ok: Finding = { area: 'Postgres', check: 'TLS', outcome: 'ok', detail: 'TLSv1.3' };
const warning: Finding = { ...ok, check: 'clock', outcome: 'warning', detail: '9 s', remedy: 'use NTP' };
const failed: Finding = {
  ...ok,
  area: 'S3',
  check: 'bucket',
  outcome: 'failed',
  detail: '404',
  remedy: 'create it',
};

const area = (check: Area['check'], slices: Area['slices'] = []): Area => ({
  name: 'Server',
  slices,
  check,
  remedy: () => 'start it',
});

test('the table names each area once and puts each remedy below its finding', () => {
  assert.deepEqual(findingsTable([ok, warning, failed]), [
    '✓ Postgres  TLS     TLSv1.3',
    '!           clock   9 s',
    '                    → use NTP',
    '✗ S3        bucket  404',
    '                    → create it',
  ]);
  assert.deepEqual(findingsTable([]), []);
});

test('only failures make a stack not ready', () => {
  assert.equal(summaryOf([ok]), 'Ready.');
  assert.equal(summaryOf([ok, warning]), 'Ready, with 1 warning.');
  assert.equal(summaryOf([failed, warning, failed]), 'Not ready: 2 failed, 1 warning.');
});

test('an area that throws, hangs or lacks its settings becomes a finding beside those of other areas', async () => {
  const found = await runChecks(
    [
      area(async (_env, report) => report.ok('reachable', 'yes')),
      area(() => Promise.reject(new Error('refused'))),
      area(async (_env, report) => {
        report.ok('reachable', 'before it hung');
        await new Promise(() => undefined);
      }),
      area(async () => assert.fail('must not run'), [z.object({ NEEDED: z.string() })]),
    ],
    {},
    50,
  );
  assert.deepEqual(
    found.map(({ check, outcome }) => `${outcome} ${check}`),
    ['ok reachable', 'failed reachable', 'ok reachable', 'failed time', 'warning not checked'],
  );
  assert.ok(found.every(({ outcome, remedy }) => (outcome === 'ok') === (remedy === undefined)));
});

test('every invalid setting is a separate finding', async () => {
  const env = {
    PORT: 'eighty',
    DATABASE_URL: 'postgresql://h/d?sslmode=maybe',
    TEMPORAL_TLS_CLIENT_CERT_PATH: '/absent',
  };
  const names = (await runChecks([settings], env, 5000)).map(({ check }) => check);
  for (const name of ['PORT', 'DATABASE_URL', 'TEMPORAL_TLS_CLIENT_CERT_PATH', 'S3_ENDPOINT', 'QDRANT_URL']) {
    assert.ok(names.includes(name), `${name} is missing from ${names.join(', ')}`);
  }
});

test('an error is explained by its innermost cause, in one line', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' });
  assert.equal(explainError(new TypeError('fetch failed', { cause: refused })), refused.message);
  const both = Object.assign(new AggregateError([refused, refused], ''), { code: 'ECONNREFUSED' });
  assert.equal(explainError(new TypeError('fetch failed', { cause: both })), refused.message);
  assert.equal(explainError(new Error('one\n  two')), 'one two');
  assert.equal(explainError('text'), 'text');
});

test('remedies follow from codes and messages', () => {
  const remedy = (message: string) => connectionRemedy(new Error(message), 'CA_FILE', 'otherwise');
  assert.match(remedy('getaddrinfo ENOTFOUND db'), /spelling/);
  assert.match(remedy('connect ECONNREFUSED ::1:5432'), /nothing listens/);
  assert.match(remedy('self-signed certificate in certificate chain'), /CA_FILE/);
  assert.match(remedy('unable to verify the first certificate'), /CA_FILE/);
  assert.match(remedy('certificate has expired'), /renew/);
  assert.match(remedy("Hostname/IP does not match certificate's altnames"), /name in its certificate/);
  assert.match(remedy('The operation was aborted due to timeout'), /firewall/);
  assert.equal(remedy('anything else'), 'otherwise');
});

test('private hosts need no TLS warning', () => {
  for (const host of [
    '127.0.0.1',
    '::1',
    '[::1]',
    '10.1.2.3',
    '172.31.0.1',
    '192.168.1.1',
    'postgres',
    'fd00::1',
  ]) {
    assert.ok(isPrivateHost(host), host);
  }
  for (const host of ['db.example.com', '8.8.8.8', '172.32.0.1', '2001:db8::1'])
    assert.ok(!isPrivateHost(host), host);
});

test('clocks may differ by seconds but not by more', async () => {
  const outcomes = async (offsetMs: number) => {
    const check: Area['check'] = async (_env, report) =>
      reportClock(report, new Date(Date.now() + offsetMs), Date.now());
    return (await runChecks([area(check)], {}, 1000)).map(({ outcome }) => outcome);
  };
  assert.deepEqual(await outcomes(2000), ['ok']);
  assert.deepEqual(await outcomes(-2000), ['ok']);
  assert.deepEqual(await outcomes(60_000), ['warning']);
  assert.deepEqual(await outcomes(-60_000), ['warning']);
});
