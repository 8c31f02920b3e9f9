import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { parse, parseAllDocuments } from 'yaml';
import { PROJECT_ROOT } from '../../dev/project-root.ts';
import { findBinary } from '../../dev/servers/binaries.ts';
import { KUBERNETES_VERSIONS, loadSchemas, type Manifest } from './kubernetes-schema.ts';
import { CHART, clients, EVERYTHING, LEAST, LITTLE, type Values } from '../support/chart-values.ts';

/**
 * Helm renders the chart with several sets of values, and the result is checked against the schemas of Kubernetes and KEDA,
 * docker-compose.yml, and itself. Real servers of Kubernetes take the same sets in `npm run test:kubernetes`.
 */
interface Container {
  args?: string[];
  env: { name: string; value?: string; valueFrom?: object }[];
  envFrom: object[];
  ports?: { name: string; containerPort: number }[];
  securityContext: object;
  resources: { requests?: Record<string, string>; limits?: Record<string, string> };
  livenessProbe?: { httpGet: { path: string; port: string } };
  readinessProbe?: { httpGet: { path: string; port: string } };
}
interface PodSpec {
  securityContext: object;
  automountServiceAccountToken: boolean;
  terminationGracePeriodSeconds?: number;
  containers: [Container];
  volumes: { name: string }[];
}
interface Template {
  metadata: { labels: Record<string, string> };
  spec: PodSpec;
}

const run = promisify(execFile);
const signal = AbortSignal.timeout(180_000);
let helm: string;
let folder: string;
before(async () => {
  helm = await findBinary('helm', { env: process.env, signal });
  folder = await mkdtemp(join(tmpdir(), 'darkroom-chart-'));
});
after(() => rm(folder, { recursive: true, force: true }));

async function render(values: Values): Promise<Manifest[]> {
  const file = join(await mkdtemp(join(folder, 'values-')), 'values.json');
  // JSON, because Helm reads YAML 1.1, in which `off` is not a string.
  await writeFile(file, JSON.stringify(values));
  const env = { PATH: process.env['PATH'], HOME: folder };
  const { stdout } = await run(helm, ['template', 'photos', CHART, '--namespace', 'media', '-f', file], {
    env,
  });
  return parseAllDocuments(stdout)
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null);
}

/** All but ConfigMaps, which have no `spec`. */
const specified = (manifests: Manifest[]) => manifests.filter(({ kind }) => kind !== 'ConfigMap');
const ofKind = (manifests: Manifest[], kind: string) => manifests.filter((each) => each.kind === kind);
const named = (manifests: Manifest[], kind: string, name: string) =>
  manifests.find((each) => each.kind === kind && each.metadata.name === name);
const hookOf = ({ metadata }: Manifest) => metadata.annotations?.['helm.sh/hook'];
const templateOf = (manifest?: Manifest) => manifest?.spec['template'] as Template;
/** The values of a container's variables; the others name where they come from. */
const envOf = ({ spec }: Template) =>
  Object.fromEntries(
    spec.containers[0].env.map(({ name, value, valueFrom }) => [name, value ?? JSON.stringify(valueFrom)]),
  );
const componentOf = (labels: Record<string, string> = {}) => labels['app.kubernetes.io/component'] ?? '';

describe('the rendered objects', () => {
  for (const version of KUBERNETES_VERSIONS) {
    for (const [name, values] of Object.entries({ LEAST, EVERYTHING, LITTLE })) {
      test(`${name}: match the schemas of Kubernetes ${version} and KEDA`, async () => {
        const problemsOf = await loadSchemas(version, signal);
        const manifests = await render(values);
        assert.ok(manifests.length >= 11, String(manifests.length));
        assert.deepEqual(manifests.flatMap(problemsOf), []);
      });
    }
  }

  test('are rejected with a misspelt field, a wrong type or an unknown kind', async () => {
    const problemsOf = await loadSchemas('1.37.0', signal);
    const text = JSON.stringify(await render(EVERYTHING));
    for (const [right, wrong, count] of [
      ['readinessProbe', 'readynessProbe', 4],
      ['readOnlyRootFilesystem', 'readOnlyRootFileSystem', 6],
      ['"backoffLimit":5', '"backoffLimit":true', 2],
      ['"containerPort":8080', '"containerPort":"8080"', 1],
      ['"minReplicas"', '"minReplica"', 1],
      ['"podSelector"', '"podSelectors"', 3],
      ['"targetQueueSize"', '"targetQueueLength"', 3],
      ['"triggers"', '"trigger"', 3],
      ['"secretTargetRef"', '"secretTargetRefs"', 1],
      ['autoscaling/v2"', 'autoscaling/v3"', 1],
    ] as const) {
      assert.ok(text.includes(right), right);
      const broken = JSON.parse(text.replaceAll(right, wrong)) as Manifest[];
      const bad = broken.filter((manifest) => problemsOf(manifest).length > 0);
      assert.ok(bad.length >= count, `${wrong}: ${bad.length} of ${count} objects are rejected`);
    }
  });

  test('have unique names, and select pods that exist', async () => {
    for (const manifests of [specified(await render(EVERYTHING)), await render(LITTLE)]) {
      const names = manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
      assert.deepEqual(names, [...new Set(names)]);
      const pods = manifests.flatMap(({ spec }) =>
        spec['template'] ? [(spec['template'] as Template).metadata.labels] : [],
      );
      for (const { kind, metadata, spec } of manifests) {
        const given = (spec['selector'] ?? spec['podSelector']) as
          | (Record<string, string> & { matchLabels?: Record<string, string> })
          | undefined;
        if (!given) continue;
        const labels = Object.entries(given.matchLabels ?? given);
        const found = pods.filter((pod) => labels.every(([name, value]) => pod[name] === value));
        assert.ok(found.length > 0, `${kind} ${metadata.name}`);
      }
    }
  });

  test('keep the other pods of the release out of the selectors of a component', async () => {
    const manifests = await render(LEAST);
    const deployments = ofKind(manifests, 'Deployment');
    const selectors = deployments.map(({ spec }) =>
      componentOf(
        (spec['selector'] as Template['metadata'] & { matchLabels: Record<string, string> }).matchLabels,
      ),
    );
    assert.deepEqual(selectors.toSorted(), ['api', 'worker', 'worker-cpu', 'worker-ocr']);
    assert.deepEqual(
      ofKind(manifests, 'PodDisruptionBudget')
        .map(({ metadata }) => metadata.name)
        .toSorted(),
      deployments.map(({ metadata }) => metadata.name).toSorted(),
    );
  });
});

describe('every pod', () => {
  test('runs unprivileged, writes only to /tmp, and gets its settings from the secret', async () => {
    const templates = specified(await render(EVERYTHING)).flatMap(({ spec }) =>
      spec['template'] ? [spec['template'] as Template] : [],
    );
    assert.equal(templates.length, 7);
    for (const { spec } of templates) {
      const [container] = spec.containers;
      assert.equal(spec.automountServiceAccountToken, false);
      assert.deepEqual(spec.securityContext, {
        runAsNonRoot: true,
        runAsUser: 1000,
        runAsGroup: 1000,
        fsGroup: 1000,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      assert.deepEqual(container.securityContext, {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      assert.deepEqual(container.envFrom, [
        { secretRef: { name: 'settings' } },
        { configMapRef: { name: 'more' } },
      ]);
      assert.ok(container.resources.limits?.['memory'], 'no limit of memory');
      assert.ok(container.resources.requests?.['cpu'], 'autoscaling by CPU needs a request');
    }
  });

  test('of a Deployment is probed at the port on which its process listens', async () => {
    for (const manifest of ofKind(await render(LEAST), 'Deployment')) {
      const template = templateOf(manifest);
      const [{ ports = [], livenessProbe, readinessProbe }] = template.spec.containers;
      assert.deepEqual(livenessProbe?.httpGet, { path: '/healthz', port: 'http' });
      assert.deepEqual(readinessProbe?.httpGet, { path: '/readyz', port: 'http' });
      const env = envOf(template);
      assert.equal(env['PORT'] ?? env['WORKER_HEALTH_PORT'], String(ports[0]?.containerPort));
      assert.equal(env['HOST'] ?? env['WORKER_HOST'], '0.0.0.0');
    }
  });
});

describe('settings', () => {
  test('of one component win over those of all, and the host of the ingress is the public address', async () => {
    const manifests = await render({
      ...EVERYTHING,
      env: { ...EVERYTHING.env, LIVE_PING_SECONDS: '30' },
    });
    const api = envOf(templateOf(named(manifests, 'Deployment', 'photos-api')));
    const worker = envOf(templateOf(named(manifests, 'Deployment', 'photos-worker')));
    assert.equal(api['LIVE_PING_SECONDS'], '20');
    assert.equal(worker['LIVE_PING_SECONDS'], '30');
    assert.equal(api['PUBLIC_BASE_URL'], 'https://api.example.com');
    assert.equal(worker['PUBLIC_BASE_URL'], 'https://api.example.com');
  });

  test('of slots are the limit of CPUs, unless they are given', async () => {
    const limit = JSON.stringify({ resourceFieldRef: { resource: 'limits.cpu', divisor: '1' } });
    const slots = async (values: Values) => {
      const manifests = await render(values);
      return ['worker', 'worker-cpu', 'worker-ocr'].map((name) => {
        const { CPU_SLOTS, OCR_SLOTS } = envOf(templateOf(named(manifests, 'Deployment', `photos-${name}`)));
        return [CPU_SLOTS, OCR_SLOTS];
      });
    };
    const none = [undefined, undefined];
    assert.deepEqual(await slots(LEAST), [none, [limit, undefined], [undefined, limit]]);
    assert.deepEqual(await slots(EVERYTHING), [none, ['1', undefined], [undefined, limit]]);
  });
});

describe('scaling', () => {
  interface Trigger {
    type: string;
    metadata: Record<string, string>;
    authenticationRef?: { name: string };
  }
  const triggersOf = (manifests: Manifest[], name: string) =>
    named(manifests, 'ScaledObject', name)?.spec['triggers'] as Trigger[];

  test('of workers follows the backlog of each of their queues, and their CPU time', async () => {
    const manifests = await render(EVERYTHING);
    for (const { metadata, spec } of ofKind(manifests, 'ScaledObject')) {
      assert.deepEqual(spec['scaleTargetRef'], { name: metadata.name });
      const [first, ...queues] = triggersOf(manifests, metadata.name);
      assert.equal(first?.type, 'cpu');
      for (const { metadata: parameters, authenticationRef } of queues) {
        assert.equal(parameters['endpoint'], 'temporal:7233');
        assert.equal(parameters['namespace'], 'media');
        assert.equal(parameters['tlsServerName'], 'temporal.example.com');
        assert.equal(
          parameters['queueTypes'],
          parameters['taskQueue'] === 'workflows' ? 'workflow' : 'activity',
        );
        assert.deepEqual(authenticationRef, { name: 'photos-temporal' });
      }
    }
    const queues = triggersOf(manifests, 'photos-worker').flatMap(
      ({ metadata }) => metadata['taskQueue'] ?? [],
    );
    const vision = ['vision-openai', 'vision-anthropic'];
    assert.deepEqual(queues, ['imports', 'index', 'io', ...vision, 'web', 'webhooks', 'workflows']);
  });

  test('leaves the number of replicas to the autoscalers, and without them sets it', async () => {
    const scaled = await render(LEAST);
    for (const { metadata, spec } of ofKind(scaled, 'Deployment'))
      assert.ok(!('replicas' in spec), metadata.name);
    const fixed = await render(LITTLE);
    assert.deepEqual(
      ofKind(fixed, 'Deployment').map(({ metadata, spec }) => [metadata.name, spec['replicas']]),
      [
        ['photos-api', 2],
        ['photos-worker', 2],
        ['photos-worker-cpu', 1],
        ['photos-worker-ocr', 1],
      ],
    );
    assert.deepEqual(ofKind(fixed, 'ScaledObject').concat(ofKind(fixed, 'HorizontalPodAutoscaler')), []);
  });

  test('a group of workers can be added, and its queues taken from another one', async () => {
    const resources = { limits: { memory: '1Gi' } };
    const web = { queues: { web: 10 }, scaling: { min: 1, max: 2, cpuPercent: 70 }, resources };
    const manifests = await render({
      ...LEAST,
      workers: { worker: { queues: { web: null } }, 'worker-web': web },
    });
    const argsOf = (name: string) =>
      templateOf(named(manifests, 'Deployment', name)).spec.containers[0].args?.at(-1);
    assert.equal(argsOf('photos-worker'), 'imports,index,io,vision,webhooks,workflows');
    assert.equal(argsOf('photos-worker-web'), 'web');
  });
});

test('the jobs run the one-shot commands of docker-compose.yml, in order, before the rest', async () => {
  const compose = parse(await readFile(join(PROJECT_ROOT, 'docker-compose.yml'), 'utf8'), {
    merge: true,
  }) as {
    services: Record<string, { command: string[] }>;
  };
  const jobs = ofKind(await render(LEAST), 'Job').filter((job) => hookOf(job) !== 'test');
  assert.deepEqual(
    jobs.map((job) => [
      job.metadata.annotations?.['helm.sh/hook-weight'],
      templateOf(job).spec.containers[0].args,
    ]),
    ['migrate', 'temporal-namespace'].map((name, order) => [String(order), compose.services[name]?.command]),
  );
  for (const job of jobs) assert.equal(hookOf(job), 'pre-install,pre-upgrade');
});

test('`helm test` runs the doctor once, with the settings of the workers', async () => {
  const manifests = await render(EVERYTHING);
  const [doctor, ...others] = ofKind(manifests, 'Job').filter((job) => hookOf(job) === 'test');
  assert.deepEqual(others, []);
  assert.equal(doctor?.spec['backoffLimit'], 0);
  const [migrate] = ofKind(manifests, 'Job').map((job) => templateOf(job).spec.containers[0]);
  const { args, env, envFrom } = templateOf(doctor).spec.containers[0];
  assert.deepEqual([args, env, envFrom], [['node', 'cli/doctor/main.ts'], migrate?.env, migrate?.envFrom]);
});

test('secrets may be files of a volume, as in the runbook, without any Secret', async () => {
  const runbook = await readFile(join(PROJECT_ROOT, 'docs/runbook.md'), 'utf8');
  const [, example = ''] = /# values-files\.yaml.*\n([^`]+)```/.exec(runbook) ?? [];
  const { env, ...files } = parse(example) as Values & { env: Record<string, string> };
  const { existingSecret: _none, ...least } = LEAST;
  const values = { ...least, ...files, env: { ...LEAST.env, ...env } };
  const pods = (await render(values)).filter(({ kind }) => kind === 'Deployment' || kind === 'Job');
  assert.ok(pods.length >= 7);
  for (const pod of pods) {
    const { containers, volumes } = templateOf(pod).spec;
    assert.equal(containers[0].envFrom, undefined);
    assert.equal(envOf(templateOf(pod))['ENCRYPTION_KEY_FILE'], '/secrets/ENCRYPTION_KEY');
    assert.ok(volumes.some(({ name }) => name === 'secrets'));
  }
});

describe('the network policies', () => {
  const policy = async (values: Values, name: string) =>
    named(await render(values), 'NetworkPolicy', name)?.spec as {
      ingress?: { from: unknown[] }[];
      egress: { to?: { ipBlock?: { cidr: string; except?: string[] } }[] }[];
    };

  test('let only the named peers reach the API, and nobody the workers', async () => {
    assert.deepEqual((await policy(LEAST, 'photos-api')).ingress?.[0]?.from, clients);
    assert.equal((await policy(LEAST, 'photos-workers')).ingress, undefined);
    assert.deepEqual((await policy(EVERYTHING, 'photos-workers')).ingress?.[0]?.from, clients);
  });

  test('allow public addresses and the servers, but no other private ones', async () => {
    const blocks = (await policy(EVERYTHING, 'photos-egress')).egress.flatMap(({ to = [] }) => to);
    assert.deepEqual(
      blocks.map(({ ipBlock }) => ipBlock?.cidr),
      ['10.1.0.0/16', '0.0.0.0/0', '2000::/3'],
    );
    for (const range of ['10.0.0.0/8', '169.254.0.0/16', '192.168.0.0/16'])
      assert.ok(blocks[1]?.ipBlock?.except?.includes(range), range);
  });
});

describe('values', () => {
  const refused = (values: Values, reason: RegExp) =>
    assert.rejects(render(values), (error: Error & { stderr: string }) => {
      assert.match(error.stderr, reason);
      return true;
    });

  test('that are missing, misspelt or of a wrong type are refused with their place', async () => {
    const { existingSecret: _, ...withoutSecret } = LEAST;
    await refused(withoutSecret, /existingSecret.*minLength/s);
    await refused({ ...LEAST, env: {} }, /env.*TEMPORAL_ADDRESS/);
    await refused({ ...LEAST, networkPolicy: {} }, /networkPolicy\/clients.*minItems/);
    await refused({ ...LEAST, ingress: { enabled: true } }, /ingress\/host.*minLength/);
    await refused({ ...LEAST, worker: {} }, /additional properties 'worker'/);
    await refused({ ...LEAST, workers: { worker: { replicas: 3 } } }, /additional properties 'replicas'/);
    await refused({ ...LEAST, workers: { worker: { queues: { oi: 5 } } } }, /invalid propertyName 'oi'/);
    await refused({ ...LEAST, workers: { worker: { scaling: { min: 0 } } } }, /scaling\/min.*minimum/);
    await refused({ ...LEAST, env: { ...LEAST.env, IO_SLOTS: 50 } }, /env\/IO_SLOTS.*want string/);
    await refused({ ...LEAST, env: { ...LEAST.env, PORT: '80' } }, /invalid propertyName 'PORT'/);
  });
});
