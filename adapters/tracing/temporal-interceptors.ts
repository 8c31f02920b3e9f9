import { trace, type Tracer } from '@opentelemetry/api';
import { OpenTelemetryWorkflowClientInterceptor } from '@temporalio/interceptors-opentelemetry/lib/client/index.js';
import { OpenTelemetryActivityInboundInterceptor } from '@temporalio/interceptors-opentelemetry/lib/worker/index.js';

type ActivityContext = ConstructorParameters<typeof OpenTelemetryActivityInboundInterceptor>[0];

/** Temporal's own interceptors, for clients and for activities. Workflows have ours, see workflows/trace-runs.ts. */
export function temporalInterceptors(tracer: Tracer) {
  const calls = new OpenTelemetryWorkflowClientInterceptor({ tracer });
  return {
    /** Only calls of requests and activities: those of loops and of the start would each be a trace of one span. */
    workflowCalls: new Proxy(calls, {
      get(target, name): unknown {
        return trace.getActiveSpan() ? Reflect.get(target, name) : undefined;
      },
    }),
    activity: (activity: ActivityContext) => ({
      inbound: new OpenTelemetryActivityInboundInterceptor(activity, { tracer }),
    }),
  };
}
