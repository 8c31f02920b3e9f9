import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { after, test } from 'node:test';
import { tracingConfig } from '../../../adapters/tracing/config.ts';
import { openTelemetry } from '../../../adapters/tracing/open-telemetry.ts';
import { traces } from '../../../cli/doctor/checks/traces.ts';
import { runChecks } from '../../../cli/doctor/run-checks.ts';
import { readTrace } from '../../../temporal/contract/traces.ts';
import { startTraceCollector, type CollectedSpan } from '../../support/trace-collector.ts';

const collector = await startTraceCollector();
after(() => collector.stop());

type Traced = ReturnType<typeof openTelemetry>;

/** The spans that are exported of some work. */
async function exported(
  settings: Record<string, string>,
  work: (tracing: Traced['tracing']) => unknown,
  { url = collector.url, reports = [] as unknown[] } = {},
): Promise<CollectedSpan[]> {
  const before = collector.spans.length;
  const config = { ...tracingConfig.parse(settings), url, service: 'api' };
  const started = openTelemetry(config, (error) => reports.push(error));
  await work(started.tracing);
  await started.stop();
  return collector.spans.slice(before);
}

const traceparent = (flags: string, id = randomBytes(16).toString('hex')) =>
  `00-${id}-00f067aa0ba902b7-${flags}`;
const request = (header: string) => (tracing: Traced['tracing']) =>
  tracing.request(header).end('GET /', {}, false);

test('the flag of a caller decides nothing, unless the sampler is based on parents', async () => {
  for (const [sampler, share, flags, spans] of [
    ['traceidratio', '0', '01', 0],
    ['traceidratio', '1', '00', 1],
    ['always_off', '1', '01', 0],
    ['always_on', '0', '00', 1],
    ['parentbased_traceidratio', '0', '01', 1],
    ['parentbased_always_on', '1', '00', 0],
  ] as const) {
    const settings = { OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: share };
    const { length } = await exported(settings, request(traceparent(flags)));
    assert.equal(length, spans, `${sampler}, ${share}, ${flags}`);
  }
});

test('an id that a caller repeats is not recorded more often than others', async () => {
  // The hash of the ratio finds it in any share.
  const chosen = traceparent('01', '0'.repeat(31) + '1');
  const spans = await exported({ OTEL_TRACES_SAMPLER_ARG: '0.1' }, (tracing) => {
    for (let at = 0; at < 1000; at += 1) request(chosen)(tracing);
  });
  assert.ok(spans.length > 20 && spans.length < 250, `${spans.length} of 1000`);
});

for (const header of [
  '',
  'x',
  '00-zz-00-01',
  traceparent('01', '0'.repeat(32)),
  `${traceparent('01')}-x`.repeat(400),
])
  test(`a traceparent of ${JSON.stringify(header.slice(0, 60))} begins a trace of its own`, async () => {
    const [span] = await exported({ OTEL_TRACES_SAMPLER_ARG: '1' }, request(header));
    assert.deepEqual([span?.parentId, span?.name], ['', 'GET /']);
  });

test('a trace that is not recorded is passed on to workflows and activities, and nothing else is done for it', async () => {
  const config = { ...tracingConfig.parse({ OTEL_TRACES_SAMPLER_ARG: '0' }), url: collector.url };
  const opened = openTelemetry({ ...config, service: 'api' }, () => undefined);
  const { tracing, workflowCalls } = opened;
  const id = randomBytes(16).toString('hex');
  const started = {
    workflowType: 'ingest',
    headers: {},
    options: { workflowId: 'a', taskQueue: 'b', args: [] },
  };
  const seen = await tracing.request(traceparent('01', id)).run(async () => {
    for (const name of ['describe', 'signal', 'query'])
      assert.equal(Reflect.get(workflowCalls, name), undefined, name);
    let headers = {};
    await workflowCalls.start?.(started, async (input) => {
      ({ headers } = input);
      return 'run';
    });
    return headers;
  });
  const { traceId, flags } = readTrace(seen) ?? {};
  assert.deepEqual([traceId, flags], [id, '00']);
  const info = { activityType: 'decode' };
  const { inbound } = opened.activity({ info } as Parameters<Traced['activity']>[0]);
  assert.equal(await inbound.execute({ args: [], headers: seen }, async () => tracing.traceId()), id);
  const before = collector.spans.length;
  await opened.stop();
  assert.equal(collector.spans.length, before);
});

test('of a failed piece of work, the code is exported and no message', async () => {
  const failure = Object.assign(new Error('values: my secret'), { code: '23505' });
  const spans = await exported({ OTEL_TRACES_SAMPLER_ARG: '1' }, async (tracing) => {
    const span = tracing.request('');
    const work = () => tracing.span('postgres insert files', () => Promise.reject(failure));
    await assert.rejects(span.run(work), failure);
    span.end('POST /files', {}, true);
    // After its request, nothing is a part of it.
    await span.run(() => tracing.span('late', () => Promise.resolve()));
  });
  assert.deepEqual(
    spans.map(({ name, failed, attributes, events }) => [name, failed, attributes, events]),
    [
      ['postgres insert files', true, { 'error.type': '23505' }, []],
      ['POST /files', true, {}, []],
    ],
  );
  assert.ok(!collector.bytes().includes('secret'));
});

test('a collector that refuses connections is reported once, however many spans are lost', async () => {
  const gone = await startTraceCollector();
  await gone.stop();
  const reports: unknown[] = [];
  await exported(
    { OTEL_TRACES_SAMPLER_ARG: '1' },
    (tracing) => {
      for (let at = 0; at < 5000; at += 1) request('')(tracing);
    },
    { url: gone.url, reports },
  );
  assert.equal(reports.length, 1);
});

test('without a collector, nothing of OpenTelemetry is loaded', () => {
  const program = `
    import { createRequire } from 'node:module';
    import { tracingConfig } from './adapters/tracing/config.ts';
    import { startTracing } from './adapters/tracing/start-tracing.ts';
    for (const settings of [{}, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_SDK_DISABLED: 'true' }])
      console.log(await startTracing(tracingConfig.parse(settings), 'api', () => undefined));
    console.log(Object.keys(createRequire(import.meta.url).cache).some((path) => path.includes('opentelemetry')));`;
  const root = new URL('../../../', import.meta.url);
  const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', program], { cwd: root });
  assert.deepEqual(printed.toString().split('\n'), ['undefined', 'undefined', 'false', '']);
});

test('the doctor says whether the collector takes traces', async () => {
  const gone = await startTraceCollector();
  await gone.stop();
  const found = async (env: Record<string, string>) =>
    (await runChecks([traces], env, 20_000)).map(({ outcome, detail }) => `${outcome}: ${detail}`);
  const { host } = new URL(collector.url);
  assert.deepEqual(await found({}), ['ok: none: nothing is traced']);
  assert.deepEqual(await found({ OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/` }), [`ok: ${host}`]);
  assert.match(
    (await found({ OTEL_EXPORTER_OTLP_ENDPOINT: gone.url })).join(),
    /^warning: traces are lost: .*REFUSED/,
  );
  const grpc = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' };
  assert.match((await found(grpc)).join(), /^warning: its settings are invalid/);
});
