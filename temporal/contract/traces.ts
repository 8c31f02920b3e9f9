import { defaultPayloadConverter, type Headers, type Payload } from '@temporalio/common';
import type { EndedRun, TraceParent } from '../../domain/tracing.ts';

/** The header in which Temporal's interceptors for OpenTelemetry pass the trace on. */
const TRACE_HEADER = '_tracer-data';
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** The trace in the headers of a workflow or an activity; undefined without one, or with one that is malformed. */
export function readTrace(
  headers: Readonly<Record<string, Payload>> | null | undefined,
): TraceParent | undefined {
  const payload = headers?.[TRACE_HEADER];
  if (!payload) return undefined;
  const { traceparent } = defaultPayloadConverter.fromPayload<{ traceparent?: unknown }>(payload);
  const [, traceId, spanId, flags] =
    (typeof traceparent === 'string' ? TRACEPARENT.exec(traceparent) : null) ?? [];
  return traceId && spanId && flags ? { traceId, spanId, flags } : undefined;
}

/** The header that passes a trace on. */
export function traceHeader({ traceId, spanId, flags }: TraceParent): Headers {
  const carrier = { traceparent: `00-${traceId}-${spanId}-${flags}` };
  return { [TRACE_HEADER]: defaultPayloadConverter.toPayload(carrier) };
}

/** Whether the spans of a trace are recorded: the lowest bit of its flags. */
export function isSampled({ flags }: TraceParent): boolean {
  return (Number.parseInt(flags, 16) & 1) === 1;
}

/** The tenant and the file that the input of a workflow or an activity names. */
export function idsIn(args: readonly unknown[]): { tenant_id?: string; file_id?: string } {
  const { tenantId, fileId } = (args[0] ?? {}) as { tenantId?: unknown; fileId?: unknown };
  return {
    ...(typeof tenantId === 'string' && { tenant_id: tenantId }),
    ...(typeof fileId === 'string' && { file_id: fileId }),
  };
}

/** How the sandbox tells of ended runs. A type, since sinks need an index signature. */
// oxlint-disable-next-line typescript/consistent-type-definitions
export type TraceSinks = { traces: { runEnded(run: EndedRun): void } };
