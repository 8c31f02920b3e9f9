import {
  context,
  defaultTextMapGetter,
  diag,
  DiagLogLevel,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Context,
  type Exception,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { baggageUtils, setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { envDetectorSync, Resource } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  RandomIdGenerator,
  TraceIdRatioBasedSampler,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { OpenTelemetryWorkflowClientInterceptor } from '@temporalio/interceptors-opentelemetry/lib/client/index.js';
import {
  extractContextFromHeaders,
  headersWithContext,
} from '@temporalio/interceptors-opentelemetry/lib/instrumentation.js';
import { OpenTelemetryActivityInboundInterceptor } from '@temporalio/interceptors-opentelemetry/lib/worker/index.js';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { EndedRun, Tracing } from '../../domain/tracing.ts';
import { VERSION } from '../../domain/version.ts';
import type { TracingConfig } from './config.ts';

/** For a batch of spans, with its repetitions. A process that stops waits as long for the last ones. */
const SENT_WITHIN_MS = 5_000;
const REPORTED_EVERY_MS = 60_000;

/** Asked directly: the global one, which Temporal's interceptors use, is looked up with its version at each call. */
const contexts = new AsyncLocalStorageContextManager().enable();
const activeSpan = () => trace.getSpan(contexts.active());

/**
 * Traces by the SDK of OpenTelemetry: spans wait in a bounded queue and are sent in batches; those that a collector does not
 * take are lost, and nothing waits for it.
 *
 * Spans begin only at requests and at activities. Whether they are recorded is decided there, once for the whole trace.
 *
 * @param report called at most once a minute
 */
export function openTelemetry(
  { url, service, ...config }: TracingConfig & { url: string; service: string },
  report: (error: unknown) => void,
) {
  const reportLost = limited(report);
  setGlobalErrorHandler(reportLost);
  const ids = new RandomIdGenerator();
  /** The id of the next span, where it is given. */
  let given: string | undefined;
  const provider = new BasicTracerProvider({
    resource: new Resource({
      'service.name': `darkroom-${service}`,
      'service.version': VERSION,
      'service.instance.id': `${hostname()}:${process.pid}`,
      // Reads OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES.
    }).merge(envDetectorSync.detect()),
    sampler: new ParentBasedSampler({ root: rootSampler(config) }),
    idGenerator: {
      generateTraceId: () => ids.generateTraceId(),
      generateSpanId() {
        const id = given ?? ids.generateSpanId();
        given = undefined;
        return id;
      },
    },
    spanProcessors: [
      withoutMessages,
      new BatchSpanProcessor(
        new OTLPTraceExporter({
          url,
          headers: baggageUtils.parseKeyPairsIntoRecord(config.OTEL_EXPORTER_OTLP_HEADERS),
          timeoutMillis: SENT_WITHIN_MS,
        }),
        { exportTimeoutMillis: SENT_WITHIN_MS },
      ),
    ],
  });
  const propagator = new W3CTraceContextPropagator();
  context.setGlobalContextManager(contexts);
  propagation.setGlobalPropagator(propagator);
  const tracer = provider.getTracer('darkroom');
  // Spans that did not fit into the queue are a warning. Set after the SDK has read its variables: it complains about empty ones.
  const logger = { error: reportLost, warn: reportLost, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });

  /** The span of a caller. Its id is taken over, but a stranger does not decide what is recorded here. (632) */
  function callerOf(traceparent: string): Context {
    if (traceparent === '') return ROOT_CONTEXT;
    const found = propagator.extract(ROOT_CONTEXT, { traceparent }, defaultTextMapGetter);
    const caller = trace.getSpanContext(found);
    if (!caller || config.OTEL_TRACES_SAMPLER.startsWith('parentbased_')) return found;
    // By chance, since a caller may choose an id that its hash favours.
    const traceFlags = Math.random() < shareOf(config) ? TraceFlags.SAMPLED : TraceFlags.NONE;
    return trace.setSpanContext(ROOT_CONTEXT, { ...caller, traceFlags });
  }

  const tracing: Tracing = {
    request(traceparent) {
      const span = tracer.startSpan('HTTP', { kind: SpanKind.SERVER }, callerOf(traceparent));
      const within = trace.setSpan(ROOT_CONTEXT, span);
      return {
        traceId: span.spanContext().traceId,
        run: (work) => contexts.with(within, work),
        end(name, fields, failed) {
          span.updateName(name).setAttributes(fields);
          if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        },
      };
    },
    span(name, work) {
      if (!activeSpan()?.isRecording()) return work();
      return tracer.startActiveSpan(typeof name === 'string' ? name : name(), async (span) => {
        try {
          return await work();
        } catch (error) {
          span.recordException(error as Exception);
          span.setStatus({ code: SpanStatusCode.ERROR });
          throw error;
        } finally {
          span.end();
        }
      });
    },
    describe: (fields) => void activeSpan()?.setAttributes(fields),
    traceId: () => activeSpan()?.spanContext().traceId,
  };

  return {
    tracing,
    ...temporalInterceptors(tracer),
    /** Makes the span of a run of a workflow, which has had its id since the run began. */
    runEnded(
      { workflowId, runId, workflowType }: { workflowId: string; runId: string; workflowType: string },
      { parent, spanId, startedAt, endedAt, outcome, fields }: EndedRun,
    ): void {
      const { traceId, spanId: parentId } = parent;
      const caller = { traceId, spanId: parentId, traceFlags: TraceFlags.SAMPLED, isRemote: true };
      const attributes = { ...fields, temporalWorkflowId: workflowId, run_id: runId, outcome };
      given = spanId;
      const span = tracer.startSpan(
        `RunWorkflow:${workflowType}`,
        { startTime: startedAt, attributes },
        trace.setSpanContext(ROOT_CONTEXT, caller),
      );
      if (outcome === 'failed') span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(endedAt);
    },
    /** Sends what waits, as far as that takes no longer than a batch may take. */
    async stop(): Promise<void> {
      const sent = provider.shutdown().catch(reportLost);
      await Promise.race([sent, delay(SENT_WITHIN_MS, undefined, { ref: false })]);
    },
  };
}

type ActivityContext = ConstructorParameters<typeof OpenTelemetryActivityInboundInterceptor>[0];

/**
 * Temporal's own interceptors, for clients and for activities, of what is recorded; a trace that is not is passed on, without
 * making spans for nobody. Workflows have ours, see workflows/trace-runs.ts.
 */
function temporalInterceptors(tracer: Tracer) {
  const calls = new OpenTelemetryWorkflowClientInterceptor({ tracer });
  const passOn: typeof calls.start = (input, next) =>
    next({ ...input, headers: headersWithContext(input.headers) });
  return {
    /**
     * Only calls of requests and activities: those of loops and of the start would each be a trace of one span; so would
     * those of a long stream, which goes on after the span of its request.
     */
    workflowCalls: new Proxy(calls, {
      get(target, name): unknown {
        const span = activeSpan();
        if (span?.isRecording()) return Reflect.get(target, name);
        return isUnsampled(span) && STARTS.has(name) ? passOn : undefined;
      },
    }),
    activity: (activity: ActivityContext) => {
      const recorded = new OpenTelemetryActivityInboundInterceptor(activity, { tracer });
      const execute: typeof recorded.execute = async (input, next) => {
        const within = extractContextFromHeaders(input.headers);
        return within && isUnsampled(trace.getSpan(within))
          ? contexts.with(within, () => next(input))
          : recorded.execute(input, next);
      };
      return { inbound: { execute } };
    },
  };
}

/** The calls whose trace the timeline of a file and the activities of a run take over. */
const STARTS: ReadonlySet<string | symbol> = new Set(['start', 'startWithDetails', 'signalWithStart']);

function isUnsampled(span: Span | undefined): boolean {
  return span !== undefined && (span.spanContext().traceFlags & TraceFlags.SAMPLED) === 0;
}

function rootSampler(config: TracingConfig) {
  const share = shareOf(config);
  if (share === 1) return new AlwaysOnSampler();
  return share === 0 ? new AlwaysOffSampler() : new TraceIdRatioBasedSampler(share);
}

function shareOf({ OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG }: TracingConfig): number {
  if (OTEL_TRACES_SAMPLER.endsWith('always_on')) return 1;
  return OTEL_TRACES_SAMPLER.endsWith('always_off') ? 0 : OTEL_TRACES_SAMPLER_ARG;
}

/** Messages of errors may have contents, such as the values of a statement: of an error, only its code or class is kept. */
const withoutMessages: SpanProcessor = {
  onStart(span: Span) {
    const setStatus = span.setStatus.bind(span);
    span.setStatus = ({ code }) => setStatus({ code });
    span.recordException = (error) => void span.setAttribute('error.type', kindOf(error));
  },
  onEnd: () => undefined,
  forceFlush: () => Promise.resolve(),
  shutdown: () => Promise.resolve(),
};

/** The type of an ApplicationFailure is the code of our own errors. */
function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { type, code } = error as { type?: unknown; code?: unknown };
  const kind = [type, code].find((given) => typeof given === 'string' && /^\w{1,64}$/.test(given));
  return (kind as string | undefined) ?? error.name;
}

const ignore = (): void => undefined;

/** Reports the first error at once, and then at most one a minute. */
function limited(report: (error: unknown) => void): (error: unknown) => void {
  let next = 0;
  return (error) => {
    if (performance.now() < next) return;
    next = performance.now() + REPORTED_EVERY_MS;
    report(error);
  };
}
