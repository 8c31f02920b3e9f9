import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { startCountingProxy } from '../../../lab/capacity/counting-proxy.ts';
import { startCpuMeter } from '../../../lab/capacity/cpu-meter.ts';
import { deriveTables } from '../../../lab/capacity/derive.ts';
import { costsBetween, costsOfOne } from '../../../lab/capacity/read-costs.ts';
import { report } from '../../../lab/capacity/report.ts';

test('the time of an ended child stays with its role, although the kernel adds it to its parent', () => {
  let now = new Map<string, { cpuMs: Record<number, number> }>();
  const meter = startCpuMeter(
    () => ({ 'worker-cpu': 1 }),
    () => now,
  );
  try {
    now = new Map([
      ['worker-cpu', { cpuMs: { 1: 100 } }],
      ['worker-cpu decoders', { cpuMs: { 2: 40, 3: 10 } }],
    ]);
    assert.deepEqual(meter.read(), { 'worker-cpu': 100, 'worker-cpu decoders': 50 });
    // Process 2 has ended, with 5 ms that nobody saw; 4 is its successor.
    now = new Map([
      ['worker-cpu', { cpuMs: { 1: 100 + 45 } }],
      ['worker-cpu decoders', { cpuMs: { 3: 30, 4: 20 } }],
    ]);
    assert.deepEqual(meter.read(), { 'worker-cpu': 105, 'worker-cpu decoders': 90 });
  } finally {
    meter.stop();
  }
});

test('the cost of one is the share of what was used beyond the idle share, which counts and bytes of data do not have', () => {
  const used = costsBetween(
    { 'cpu api': 1000, objects: 4, statements: 7 },
    { 'cpu api': 1500, objects: 24, statements: 107, 'requests PUT': 10 },
  );
  assert.deepEqual(used, { 'cpu api': 500, objects: 20, statements: 100, 'requests PUT': 10 });
  const idle = { 'cpu api': 20, objects: 1, statements: 100 };
  assert.deepEqual(costsOfOne(used, { units: 10, seconds: 5, idle }), {
    'cpu api': 40,
    objects: 2,
    statements: 0,
    'requests PUT': 1,
  });
});

test('the table has a line for each cost, the sum of CPU times, and a column for each workload', () => {
  const costs = { 'cpu api': 12.34, 'cpu worker': 200, objects: 5, nothing: 0 };
  const table = report({
    workloads: [{ title: 'image', units: 60, seconds: 30, costs }],
    idle: { 'cpu api': 1.5 },
  });
  assert.deepEqual(
    table.split('\n').map((line) => line.trim().replaceAll(/ {2,}/g, '|')),
    [
      '',
      'one|image|idle second',
      'cpu, all processes (ms)|212|1.50',
      'cpu api (ms)|12.3|1.50',
      'cpu worker (ms)|200|0.00',
      'objects|5.00|0.00',
      '',
      'Measured: 60 × image in 30.0 s.',
    ],
  );
});

test('the proxy passes requests on with their Host header and counts them by method', async () => {
  const server = createServer((incoming, outgoing) => {
    incoming.resume();
    incoming.once('end', () => outgoing.end(`${incoming.method} ${incoming.url} ${incoming.headers.host}`));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy = await startCountingProxy(
    () => new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
  );
  try {
    const host = new URL(proxy.url).host;
    const put = await fetch(`${proxy.url}/a%20b?c=%2F`, { method: 'PUT', body: 'x'.repeat(100_000) });
    assert.equal(await put.text(), `PUT /a%20b?c=%2F ${host}`);
    assert.equal((await fetch(`${proxy.url}/`)).status, 200);
    assert.deepEqual(Object.fromEntries(proxy.counts), { PUT: 1, GET: 1 });
  } finally {
    proxy.close();
    server.close();
    server.closeAllConnections();
  }
});

test('the tables of docs/scaling.md follow from the costs of one file', () => {
  const page = { 'cpu api': 10, 'cpu worker-ocr': 0, 'cpu worker-ocr readers': 5, 'object bytes': 1e6 };
  const costs = [
    { title: 'image of 6 MP', units: 1, seconds: 1, costs: { ...page, 'cpu api': 100, 'requests PUT': 5 } },
    { title: 'page with text', units: 1, seconds: 1, costs: page },
    {
      title: 'scanned page',
      units: 1,
      seconds: 1,
      costs: { ...page, 'cpu worker-ocr': 985, 'chunk vectors': 2 },
    },
  ];
  assert.equal(deriveTables(costs.slice(0, 2)), undefined);
  const tables = deriveTables(costs) ?? assert.fail();
  // 0.9 × 105 + 0.9 × 15 + 0.1 × 1000
  assert.match(tables, /^A mixed file costs 208 ms of CPU\.$/m);
  // 1000 a second × (0.9 × 5 + 0.9 × 5 + 0.1 × 990) ms ÷ 0.6
  assert.match(tables, /^\| cores of `worker-ocr` +\| 1\.8 +\| 180 +\| 18,000 +\|$/m);
  assert.match(tables, /^\| PUT a second +\| 45 +\| 4,500 /m);
  assert.match(
    tables,
    /^\| a million +\| images of 6 MP \| pages with text \| scanned pages \| mixed files \|$/m,
  );
  assert.match(tables, /^\| objects, GB +\| 1,000 +\| 1,000 +\| 1,000 +\| 1,900 /m);
  assert.match(tables, /^\| vectors in memory, GB +\| 0\.621 +\| 0 +\| 1\.54 +\| 0\.713 /m);
});
