import { join } from 'node:path';
import { PROJECT_ROOT } from '../../dev/project-root.ts';

/** Values of the chart. */
export type Values = Record<string, unknown>;

export const CHART = join(PROJECT_ROOT, 'charts', 'darkroom');
/** Peers of the API. */
export const clients = [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress' } } }];
/** The values without which nothing is rendered. */
export const LEAST = {
  existingSecret: 'darkroom',
  env: { TEMPORAL_ADDRESS: 'temporal:7233' },
  networkPolicy: { clients },
};
/** A value for everything that is empty by default. */
export const EVERYTHING = {
  existingSecret: 'settings',
  env: { ...LEAST.env, TEMPORAL_NAMESPACE: 'media', VISION_PROVIDERS: 'openai, anthropic' },
  envFrom: [{ configMapRef: { name: 'more' } }],
  imagePullSecrets: [{ name: 'registry' }],
  serviceAccountName: 'darkroom',
  podAnnotations: { 'prometheus.io/scrape': 'true' },
  nodeSelector: { 'kubernetes.io/arch': 'amd64' },
  tolerations: [{ key: 'media', operator: 'Exists' }],
  affinity: { nodeAffinity: {} },
  volumes: [{ name: 'certificates', secret: { secretName: 'certificates' } }],
  volumeMounts: [{ name: 'certificates', mountPath: '/certificates', readOnly: true }],
  api: { env: { LIVE_PING_SECONDS: '20' } },
  workers: { 'worker-cpu': { env: { CPU_SLOTS: '1' } } },
  keda: {
    metadata: { tlsServerName: 'temporal.example.com' },
    secretTargetRef: [{ parameter: 'apiKey', name: 'settings', key: 'TEMPORAL_API_KEY' }],
  },
  ingress: {
    enabled: true,
    className: 'nginx',
    host: 'api.example.com',
    tlsSecret: 'api-tls',
    annotations: { 'nginx.ingress.kubernetes.io/proxy-request-buffering': 'off' },
  },
  networkPolicy: { clients, monitoring: clients, servers: [{ ipBlock: { cidr: '10.1.0.0/16' } }] },
  monitoring: { enabled: true, labels: { release: 'prometheus' } },
};
/** Without the parts that can be turned off. */
export const LITTLE = {
  ...LEAST,
  keda: { enabled: false },
  api: { scaling: { enabled: false } },
  networkPolicy: { enabled: false },
};
