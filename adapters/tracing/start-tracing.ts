import { installTracing } from '../../domain/tracing.ts';
import type { TracingConfig } from './config.ts';
import type { StartedTracing } from './open-telemetry.ts';

/**
 * Begins to trace, if a collector is configured; otherwise loads nothing.
 *
 * @param service `api` or `worker`
 * @param report called at most once a minute while traces do not reach the collector
 */
export async function startTracing(
  config: TracingConfig,
  service: string,
  report: (error: unknown) => void,
): Promise<StartedTracing | undefined> {
  const url = tracesUrl(config);
  if (url === undefined || config.OTEL_SDK_DISABLED) return undefined;
  const { openTelemetry } = await import('./open-telemetry.ts');
  const started = openTelemetry({ ...config, url, service }, report);
  installTracing(started.tracing);
  return started;
}

function tracesUrl({
  OTEL_EXPORTER_OTLP_ENDPOINT: all,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: traces,
}: TracingConfig): string | undefined {
  return traces ?? (all === undefined ? undefined : `${all.replace(/\/$/, '')}/v1/traces`);
}
