import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { findBinary } from '../../dev/servers/binaries.ts';
import { eventually, type Json } from '../support/api.ts';
import { CHART, EVERYTHING, LEAST, LITTLE, type Values } from '../support/chart-values.ts';
import { buildServers, definitionFolders } from './build-servers.ts';
import { startCluster, type Cluster } from './cluster.ts';

/**
 * The chart on the API server of Kubernetes, with its controllers, in a namespace that admits only restricted pods. There is
 * no node: the tests set the states of pods that one would report. Network policies are admitted, but nothing enforces them.
 */
const run = promisify(execFile);
const NAMESPACE = 'media';
const LABELS = Object.fromEntries(
  ['enforce', 'warn', 'audit'].map((mode) => [`pod-security.kubernetes.io/${mode}`, 'restricted']),
);
const PATCH = 'application/strategic-merge-patch+json';
type Fate = 'Running' | 'Succeeded' | 'Failed';

describe('the chart on the servers of Kubernetes', { timeout: 7_200_000 }, () => {
  let folder: string;
  let helm: string;
  let cluster: Cluster;
  /** What becomes of a new pod, by its component; without a fate, it waits. */
  let fateOf: (component: string) => Fate | undefined;
  /** Components of pods in the order in which they ended, with the number of Deployments then. */
  const ended: [component: string, deployments: number][] = [];
  const over = new AbortController();
  let node: Promise<void>;

  const usually = (component: string): Fate =>
    ['migrate', 'temporal-namespace', 'doctor'].includes(component) ? 'Succeeded' : 'Running';
  const ask = async (method: string, path: string, body?: object, type?: string): Promise<Json> => {
    const reply = await cluster.request(method, path, body, type);
    assert.ok(reply.status < 300, `${method} ${path}: ${JSON.stringify(reply.body)}`);
    return reply.body;
  };
  const pathOf = (group: string, name: string) => `/apis/${group}/namespaces/${NAMESPACE}/${name}`;
  const pods = async (component: string): Promise<Json[]> =>
    (
      await ask(
        'GET',
        `/api/v1/namespaces/${NAMESPACE}/pods?labelSelector=app.kubernetes.io/component=${component}`,
      )
    ).items;
  const deployments = async (): Promise<Json[]> => (await ask('GET', pathOf('apps/v1', 'deployments'))).items;
  const deployment = (name: string) => ask('GET', pathOf('apps/v1', `deployments/photos-${name}`));
  const budgets = async (): Promise<Json[]> =>
    (await ask('GET', pathOf('policy/v1', 'poddisruptionbudgets'))).items;

  async function callHelm(command: string[], values?: Values): Promise<string> {
    const file = join(folder, 'values.json');
    if (values) await writeFile(file, JSON.stringify(values));
    const env = { PATH: process.env['PATH'], HOME: folder, KUBECONFIG: cluster.kubeconfig };
    const flags = [...(values ? ['-f', file] : []), '--namespace', NAMESPACE];
    return (await run(helm, [...command, ...flags], { env, maxBuffer: 64 * 1024 ** 2 })).stdout;
  }
  const install = (values: Values, timeout = '120s') =>
    callHelm(['upgrade', '--install', 'photos', CHART, '--wait', '--timeout', timeout], values);
  const render = async (values: Values): Promise<Json[]> =>
    parseAllDocuments(await callHelm(['template', 'photos', CHART], values))
      .map((document): Json => document.toJS())
      .filter((object) => object !== null);
  /** Asks the server to create an object without storing it; unknown fields are errors. */
  async function tryOut(object: Json) {
    const { apiVersion, kind } = object;
    const group = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
    const { resources } = await ask('GET', group);
    const resource = resources.find((each: Json) => each.kind === kind && !each.name.includes('/'));
    assert.ok(resource, `${apiVersion} ${kind}`);
    const query = 'dryRun=All&fieldValidation=Strict';
    return cluster.request('POST', `${group}/namespaces/${NAMESPACE}/${resource.name}?${query}`, object);
  }

  async function playNode(): Promise<void> {
    while (!over.signal.aborted) {
      const { items } = await ask('GET', `/api/v1/namespaces/${NAMESPACE}/pods`);
      for (const { metadata, status } of items) {
        const component = metadata.labels['app.kubernetes.io/component'];
        const phase = fateOf(component);
        if (status.phase !== 'Pending' || phase === undefined) continue;
        if (phase !== 'Running') ended.push([component, (await deployments()).length]);
        const conditions = [{ type: 'Ready', status: phase === 'Running' ? 'True' : 'False' }];
        const path = `/api/v1/namespaces/${NAMESPACE}/pods/${metadata.name}/status`;
        const { status: answer } = await cluster.request(
          'PATCH',
          path,
          { status: { phase, conditions } },
          PATCH,
        );
        // The pod may have been deleted meanwhile.
        assert.ok([200, 404].includes(answer), String(answer));
      }
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'darkroom-kubernetes-'));
    helm = await findBinary('helm', { env: process.env, signal: AbortSignal.timeout(180_000) });
    const servers = await buildServers();
    cluster = await startCluster(servers, folder);
    for (const definitions of await definitionFolders()) {
      for (const name of await readdir(definitions)) {
        const [definition] = parseAllDocuments(await readFile(join(definitions, name), 'utf8'));
        const object: Json = definition?.toJS();
        if (object?.kind !== 'CustomResourceDefinition') continue;
        await ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', object);
      }
    }
    const namespace = { metadata: { name: NAMESPACE, labels: LABELS } };
    await ask('POST', '/api/v1/namespaces', namespace);
    await ask('POST', `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`, { metadata: { name: 'darkroom' } });
    await eventually(() => ask('GET', `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/default`));
    await eventually(() => ask('GET', '/apis/keda.sh/v1alpha1'));
    await eventually(() => ask('GET', '/apis/monitoring.coreos.com/v1'));
    fateOf = usually;
    node = playNode();
    // Awaited at the end; its error would end the process before.
    node.catch(() => undefined);
  });
  after(async () => {
    over.abort();
    try {
      await node;
    } finally {
      await cluster?.stop();
      await rm(folder, { recursive: true, force: true });
    }
  });

  for (const [name, values] of Object.entries({ LEAST, EVERYTHING, LITTLE })) {
    test(`${name}: every object is admitted, without a warning`, async () => {
      const objects = await render(values);
      assert.ok(objects.length >= 11, String(objects.length));
      for (const object of objects) {
        const { status, body, warnings } = await tryOut(object);
        const which = `${object.kind} ${object.metadata.name}: ${JSON.stringify(body)}`;
        assert.deepEqual([status, warnings], [201, undefined], which);
      }
    });

    test(`${name}: pods of every template are admitted as restricted`, async () => {
      const templates = (await render(values)).filter(({ spec }) => spec?.template);
      assert.equal(templates.length, 7);
      for (const { metadata, spec } of templates) {
        const pod = { ...spec.template, apiVersion: 'v1', kind: 'Pod' };
        const { status, body } = await tryOut({ ...pod, metadata: { name: metadata.name } });
        assert.equal(status, 201, `${metadata.name}: ${JSON.stringify(body)}`);
      }
    });
  }

  test('misspelt fields, custom ones too, and pods with more rights are refused', async () => {
    const objects = await render(EVERYTHING);
    for (const [right, wrong] of [
      ['readinessProbe', 'readynessProbe'],
      ['"maxUnavailable":1', '"maxUnavailable":"one"'],
      ['"podSelector"', '"podSelectors"'],
      ['"triggers"', '"trigger"'],
      ['"secretTargetRef"', '"secretTargetRefs"'],
      ['"podMetricsEndpoints"', '"podMetricsEndpoint"'],
      ['"expr"', '"expression"'],
    ] as const) {
      const broken = objects.filter((object) => JSON.stringify(object).includes(right));
      assert.ok(broken.length > 0, right);
      for (const object of broken) {
        const { status } = await tryOut(JSON.parse(JSON.stringify(object).replaceAll(right, wrong)));
        assert.ok([400, 422].includes(status), `${object.kind} with ${wrong}: ${status}`);
      }
    }
    const { spec } = objects.find(({ kind }) => kind === 'Job').spec.template;
    spec.containers[0].securityContext.allowPrivilegeEscalation = true;
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'escalating' }, spec };
    const { status, body } = await tryOut(pod);
    assert.equal(status, 403);
    assert.match(body.message, /violates PodSecurity "restricted.*allowPrivilegeEscalation/);
  });

  test('an installation migrates, prepares Temporal and then starts pods', async () => {
    await install(EVERYTHING);
    assert.deepEqual(ended, [
      ['migrate', 0],
      ['temporal-namespace', 0],
    ]);
    const names = ['photos-api', 'photos-worker', 'photos-worker-cpu', 'photos-worker-ocr'];
    const found = await deployments();
    assert.deepEqual(found.map(({ metadata }) => metadata.name).toSorted(), names);
    for (const { metadata, status } of found) assert.ok(status.readyReplicas >= 1, metadata.name);
  });

  test('the autoscaler finds the API and gives it its two replicas', async () => {
    await eventually(async () => {
      const [scaler] = (await ask('GET', pathOf('autoscaling/v2', 'horizontalpodautoscalers'))).items;
      const able = scaler.status.conditions.find(({ type }: Json) => type === 'AbleToScale');
      assert.equal(able.status, 'True');
      assert.equal((await deployment('api')).status.readyReplicas, 2);
    });
  });

  test('a drain evicts one pod of the API, and the next only when its successor is ready', async () => {
    await eventually(async () => {
      for (const { metadata, status } of await budgets()) {
        const { replicas } = (await deployment(metadata.name.replace('photos-', ''))).status;
        assert.deepEqual([status.expectedPods, status.disruptionsAllowed], [replicas, 1], metadata.name);
      }
    });
    const evict = async (pod: Json) => {
      const eviction = {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name: pod.metadata.name, namespace: NAMESPACE },
      };
      const path = `/api/v1/namespaces/${NAMESPACE}/pods/${pod.metadata.name}/eviction`;
      return (await cluster.request('POST', path, eviction)).status;
    };
    fateOf = () => undefined;
    const [first, second] = await pods('api');
    assert.equal(await evict(first), 201);
    assert.equal(await evict(second), 429);
    fateOf = usually;
    await eventually(async () => assert.equal(await evict(second), 201));
    // The count of the Deployment follows its pods.
    await eventually(async () => {
      const ready = (await pods('api')).filter(({ status }) => status.phase === 'Running');
      assert.equal(ready.length, 2);
      assert.ok(ready.every(({ metadata }) => metadata.name !== second.metadata.name));
    });
  });

  test('an upgrade keeps both replicas of the API until a new one is ready', async () => {
    fateOf = (component) => (component === 'api' ? undefined : usually(component));
    const upgraded = install({ ...EVERYTHING, image: { tag: '0.2.0' } });
    upgraded.catch(() => undefined);
    await eventually(async () => {
      const { status } = await deployment('api');
      assert.deepEqual([status.updatedReplicas, status.readyReplicas], [1, 2]);
    }, 60);
    fateOf = usually;
    await upgraded;
    const { spec, status } = await deployment('api');
    assert.equal(spec.template.spec.containers[0].image, 'darkroom:0.2.0');
    assert.deepEqual([status.updatedReplicas, status.readyReplicas], [2, 2]);
  });

  test('an upgrade whose migrations do not end changes nothing else, and can be repeated', async () => {
    const before = (await deployments()).map(({ metadata }) => metadata.generation);
    fateOf = (component) => (component === 'migrate' ? undefined : usually(component));
    await assert.rejects(install({ ...EVERYTHING, image: { tag: '0.3.0' } }, '5s'));
    assert.deepEqual(
      (await deployments()).map(({ metadata }) => metadata.generation),
      before,
    );
    fateOf = usually;
    await install({ ...EVERYTHING, image: { tag: '0.3.0' } });
    assert.equal((await deployment('api')).spec.template.spec.containers[0].image, 'darkroom:0.3.0');
  });

  test('`helm test` succeeds with the doctor and fails with it; the Job that failed stays', async () => {
    const jobs = async () => {
      const { items } = await ask('GET', pathOf('batch/v1', 'jobs'));
      return items.map(({ metadata }: Json) => metadata.name);
    };
    await callHelm(['test', 'photos', '--timeout', '60s']);
    await eventually(async () => assert.deepEqual(await jobs(), []));
    fateOf = (component) => (component === 'doctor' ? 'Failed' : usually(component));
    await assert.rejects(callHelm(['test', 'photos', '--timeout', '60s']));
    assert.deepEqual(await jobs(), ['photos-doctor']);
    fateOf = usually;
  });

  test('removing the release leaves no object that runs', async () => {
    await callHelm(['uninstall', 'photos', '--wait', '--timeout', '60s']);
    assert.deepEqual([await deployments(), await budgets()], [[], []]);
    await eventually(async () => {
      for (const component of ['api', 'worker', 'worker-cpu', 'worker-ocr'])
        assert.deepEqual(await pods(component), [], component);
    });
  });
});
