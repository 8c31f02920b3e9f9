import { installTracing } from '../../domain/tracing.ts';
import type { TracingConfig } from './config.ts';

/**
 * Begins to trace, if a collector is configured; otherwise loads nothing.
 *
 * @param service `api` or `worker`
 * @param report called at most once a minute while traces do not reach the collector
 * @returns what `openTelemetry` returns; undefined if nothing is traced
 */
export async function startTracing(config: TracingConfig, service: string, report: (error: unknown) => void) {
  const url = tracesUrl(config);
  if (url === undefined) return undefined;
  const { openTelemetry } = await import('./open-telemetry.ts');
  const started = openTelemetry({ ...config, url, service }, report);
  installTracing(started.tracing);
  return started;
}

/** Where traces are sent; undefined if nothing is traced. */
export function tracesUrl({
  OTEL_EXPORTER_OTLP_ENDPOINT: all,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: traces,
  OTEL_SDK_DISABLED: disabled,
}: TracingConfig): string | undefined {
  if (disabled) return undefined;
  return traces ?? (all === undefined ? undefined : `${all.replace(/\/$/, '')}/v1/traces`);
}

/** Sends a collector no spans, and returns the status of its answer. */
export async function askCollector(
  url: string,
  { OTEL_EXPORTER_OTLP_HEADERS: headers }: TracingConfig,
  signal: AbortSignal,
): Promise<number> {
  const { baggageUtils } = await import('@opentelemetry/core');
  const response = await fetch(url, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'Content-Type': 'application/x-protobuf', ...baggageUtils.parseKeyPairsIntoRecord(headers) },
    body: new Uint8Array(),
    signal,
  });
  await response.body?.cancel();
  return response.status;
}
