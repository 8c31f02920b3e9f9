import { tracingConfig } from '../../../adapters/tracing/config.ts';
import { askCollector, tracesUrl } from '../../../adapters/tracing/start-tracing.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { connectionRemedy, explainError, type Area } from '../run-checks.ts';

const WITHIN_MS = 10_000;
const SETTINGS = 'check OTEL_EXPORTER_OTLP_ENDPOINT and OTEL_EXPORTER_OTLP_HEADERS';

/** Checks that the collector of traces, if one is configured, takes them. Without it, everything else works. */
export const traces: Area = {
  name: 'Traces',
  slices: [tracingConfig],
  async check(env, report) {
    const config = readConfig([tracingConfig], env);
    const url = tracesUrl(config);
    if (url === undefined) {
      report.ok('collector', 'none: nothing is traced');
      return;
    }
    const { host } = new URL(url);
    try {
      const signal = AbortSignal.timeout(WITHIN_MS);
      const status = await askCollector(url, config, signal);
      if (status >= 200 && status < 300) report.ok('collector', host);
      else report.warn('collector', `${host} answered ${status}: traces are lost`, SETTINGS);
    } catch (error) {
      const remedy = connectionRemedy(error, 'NODE_EXTRA_CA_CERTS', SETTINGS);
      report.warn('collector', `traces are lost: ${explainError(error)}`, remedy);
    }
  },
  remedy: () => SETTINGS,
};
