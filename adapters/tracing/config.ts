import { z } from 'zod';

const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' });

/** Where traces go, and how many. The names and meanings are those of OpenTelemetry. */
export const tracingConfig = z.object({
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl
    .optional()
    .describe(
      'a collector of OpenTelemetry that takes OTLP over HTTP, such as `http://otel-collector:4318`; without it and the next, there are no traces',
    ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: httpUrl
    .optional()
    .describe('the same as the whole URL for traces, to which no `/v1/traces` is added'),
  OTEL_EXPORTER_OTLP_PROTOCOL: z
    .literal('http/protobuf', 'only http/protobuf is spoken here; it has a port of its own, usually 4318')
    .default('http/protobuf')
    .describe('the protocol of the collector'),
  OTEL_EXPORTER_OTLP_HEADERS: z
    .string()
    .optional()
    .describe('headers for the collector, such as a key: `name=value`, separated by commas'),
  OTEL_SERVICE_NAME: z.string().optional().meta({
    description: 'name of the process in traces',
    shownDefault: '`darkroom-api` or `darkroom-worker`',
  }),
  OTEL_RESOURCE_ATTRIBUTES: z
    .string()
    .optional()
    .describe('further attributes of the process, such as `deployment.environment.name=staging`'),
  OTEL_TRACES_SAMPLER: z
    .enum([
      'traceidratio',
      'always_on',
      'always_off',
      'parentbased_traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
    ])
    .default('traceidratio')
    .describe(
      'which requests are traced; with `parentbased_`, the flag in the `traceparent` of a caller decides, whoever it is, so only behind a gateway that sets it',
    ),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(0.1)
    .describe('the share of requests that `traceidratio` traces'),
  OTEL_SDK_DISABLED: z.stringbool().default(false).describe('`true` for no traces, whatever else is set'),
});
export type TracingConfig = z.output<typeof tracingConfig>;
