import { after, afterEach } from 'node:test';
import { startOwnStack } from '../../support/own-stack.ts';
import { startTraceCollector } from '../../support/trace-collector.ts';

/** Receives the traces of all requests to the stack. */
export const collector = await startTraceCollector();

/** The stack whose engine, object store, database, index and collector of traces the tests in this folder stop. */
export const own = await startOwnStack(
  {},
  {},
  {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_TRACES_SAMPLER_ARG: '1',
    OTEL_BSP_SCHEDULE_DELAY: '200',
  },
);
afterEach(async (context) => {
  if ('passed' in context && !context.passed) await own.startStopped();
});
after(async () => {
  await own.stop();
  await collector.stop();
});
