import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv2020, type AnySchema } from 'ajv/dist/2020.js';
import { fetchFromWheel } from '../../engines/packages/fetch-from-wheel.ts';
import { PROJECT_ROOT } from '../../dev/project-root.ts';

/** An object of Kubernetes, as rendered. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels?: Record<string, string>; annotations?: Record<string, string> };
  spec: Record<string, unknown>;
}

interface Definitions {
  $defs: Record<
    string,
    { 'x-kubernetes-group-version-kind'?: { group: string; kind: string; version: string }[] }
  >;
}

/** The oldest version that the chart names (`kubeVersion`), and the newest that there are schemas of. */
export const KUBERNETES_VERSIONS = ['1.30.0', '1.37.0'] as const;

const object = (properties: Record<string, AnySchema>, required: string[] = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const string = { type: 'string', minLength: 1 };
const strings = (...names: string[]) => Object.fromEntries(names.map((name) => [name, string]));
const list = (items: AnySchema) => ({ type: 'array', items, minItems: 1 });
const wholeNumber = { type: 'integer', minimum: 1 };
const named = { type: 'object', properties: { name: string }, required: ['name'] };

/** The trigger `cpu` and the trigger `temporal`, with the parameters of KEDA 2.22. */
const TRIGGERS = [
  object({
    type: { const: 'cpu' },
    metricType: { const: 'Utilization' },
    metadata: object(strings('value')),
  }),
  object(
    {
      type: { const: 'temporal' },
      metadata: object(
        {
          ...strings('endpoint', 'namespace', 'taskQueue', 'targetQueueSize', 'activationTargetQueueSize'),
          ...strings('minConnectTimeout', 'unsafeSsl', 'tlsServerName', 'enableTLS'),
          ...strings('includeRunningWorkflowCount', 'workflowTaskQueueForCount'),
          queueTypes: { enum: ['workflow', 'activity'] },
        },
        ['endpoint', 'namespace', 'taskQueue', 'targetQueueSize', 'queueTypes'],
      ),
      authenticationRef: object(strings('name')),
    },
    ['type', 'metadata'],
  ),
];

/**
 * The part of KEDA's objects that the chart uses, after the documentation of KEDA 2.22: no package has these schemas in a
 * form that rejects unknown fields.
 */
const KEDA: Record<string, AnySchema> = {
  ScaledObject: object({
    apiVersion: { const: 'keda.sh/v1alpha1' },
    kind: { const: 'ScaledObject' },
    metadata: named,
    spec: object({
      scaleTargetRef: object(strings('name')),
      pollingInterval: wholeNumber,
      minReplicaCount: wholeNumber,
      maxReplicaCount: wholeNumber,
      triggers: list({ oneOf: TRIGGERS }),
    }),
  }),
  TriggerAuthentication: object({
    apiVersion: { const: 'keda.sh/v1alpha1' },
    kind: { const: 'TriggerAuthentication' },
    metadata: named,
    spec: object({ secretTargetRef: list(object(strings('parameter', 'name', 'key'))) }),
  }),
};

const labelSelector = {
  type: 'object',
  properties: { matchLabels: { type: 'object' }, matchExpressions: { type: 'array' } },
  required: ['matchLabels'],
  additionalProperties: false,
};
const endpoint = object({ port: string, path: string, interval: string });
const rule = {
  oneOf: [
    object(
      {
        alert: string,
        expr: string,
        for: string,
        labels: { type: 'object' },
        annotations: { type: 'object' },
      },
      ['alert', 'expr', 'labels', 'annotations'],
    ),
    object(strings('record', 'expr')),
  ],
};

/** The part of the Prometheus operator's objects that the chart uses, after its documentation, for the same reason. */
const PROMETHEUS: Record<string, AnySchema> = Object.fromEntries(
  Object.entries({
    ServiceMonitor: object({ selector: labelSelector, endpoints: list(endpoint) }),
    PodMonitor: object({ selector: labelSelector, podMetricsEndpoints: list(endpoint) }),
    PrometheusRule: object({ groups: list(object({ name: string, rules: list(rule) })) }),
  }).map(([kind, spec]) => [
    kind,
    object({
      apiVersion: { const: 'monitoring.coreos.com/v1' },
      kind: { const: kind },
      metadata: named,
      spec,
    }),
  ]),
);

/**
 * The schemas of a version of Kubernetes, in which unknown fields are errors.
 *
 * @returns a function that gives the problems of an object, one line each
 */
export async function loadSchemas(
  version: (typeof KUBERNETES_VERSIONS)[number],
  signal: AbortSignal,
): Promise<(manifest: Manifest) => string[]> {
  const path = join(PROJECT_ROOT, '.cache', `kubernetes-${version}.json`);
  if (!existsSync(path)) {
    const wheel = {
      package: 'kubernetes-validate',
      version: '1.37.0',
      member: `kubernetes_validate/kubernetes-json-schema/v${version}-local-strict/_definitions.json`,
      sha256: '85136d018a27b50ec7fc049d902bfa5193f5976807e6c0f408e3ab6fe078cad9',
    };
    await fetchFromWheel(wheel, path, { signal });
  }
  const { $defs } = JSON.parse(await readFile(path, 'utf8')) as Definitions;
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema({ $defs }, 'kubernetes');
  const names = new Map(
    Object.entries($defs).flatMap(([name, { 'x-kubernetes-group-version-kind': kinds = [] }]) =>
      kinds.map(
        ({ group, kind, version: api }) => [`${group ? `${group}/` : ''}${api} ${kind}`, name] as const,
      ),
    ),
  );
  const compiled = Object.fromEntries(
    Object.entries({ ...KEDA, ...PROMETHEUS }).map(([kind, schema]) => [kind, ajv.compile(schema)]),
  );
  return (manifest) => {
    const { apiVersion, kind } = manifest;
    const name = names.get(`${apiVersion} ${kind}`);
    const validate = compiled[kind] ?? (name && ajv.getSchema(`kubernetes#/$defs/${name}`));
    if (!validate) return [`there is no ${apiVersion} ${kind} in Kubernetes ${version}`];
    if (validate(manifest)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) =>
        `${kind} ${instancePath} ${message ?? ''} ${JSON.stringify(params)}`,
    );
  };
}
