import { spawn, type ChildProcess } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { request as send } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { IncomingMessage } from 'node:http';
import { eventually, type Json } from '../support/api.ts';
import { createAuthority } from '../support/certificates.ts';
import { freePort } from '../support/free-port.ts';

const STARTED_WITHIN_S = 180;
/** What makes pods and budgets of the objects of the chart, and removes what belongs to them. */
const CONTROLLERS = [
  'deployment-controller',
  'disruption-controller',
  'garbage-collector-controller',
  'horizontal-pod-autoscaler-controller',
  'job-controller',
  'namespace-controller',
  'replicaset-controller',
  'serviceaccount-controller',
  'root-ca-certificate-publisher-controller',
];

export interface Reply {
  status: number;
  body: Json;
  /** Of the server to people, such as that a field is unknown or an API deprecated. */
  warnings: string | undefined;
}

/** Kubernetes on loopback: etcd, the API server and the controllers. There is no node, so nothing runs. */
export interface Cluster {
  /** For Helm. */
  kubeconfig: string;
  /** Sends a request as the administrator. */
  request(method: string, path: string, body?: object, contentType?: string): Promise<Reply>;
  stop(): Promise<void>;
}

/**
 * @param servers the folder of the programs
 * @param folder  for data, keys and logs
 */
export async function startCluster(servers: string, folder: string): Promise<Cluster> {
  const file = (name: string) => join(folder, name);
  const [etcd, peers, api] = [await freePort(), await freePort(), await freePort()];
  const authority = await createAuthority(folder);
  const { certFile, keyFile } = await authority.issue('kube-apiserver');
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const token = randomBytes(24).toString('hex');
  await writeFile(file('accounts.pub'), publicKey);
  await writeFile(file('accounts.key'), privateKey, { mode: 0o600 });
  await writeFile(file('tokens.csv'), `${token},administrator,administrator,system:masters\n`, {
    mode: 0o600,
  });
  const kubeconfig = file('kubeconfig.json');
  const server = `https://127.0.0.1:${api}`;
  await writeFile(
    kubeconfig,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'test', cluster: { server, 'certificate-authority': authority.certFile } }],
      users: [{ name: 'administrator', user: { token } }],
      contexts: [{ name: 'test', context: { cluster: 'test', user: 'administrator' } }],
      'current-context': 'test',
    }),
    { mode: 0o600 },
  );

  const children: ChildProcess[] = [];
  const start = (program: string, args: string[]) => {
    const log = openSync(file(`${program}.log`), 'w');
    children.push(spawn(join(servers, program), args, { cwd: folder, stdio: ['ignore', log, log] }));
  };
  const stop = async () => {
    for (const child of children.toReversed()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
  };
  const request: Cluster['request'] = async (method, path, body, contentType = 'application/json') => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': contentType };
    const asked = send(`${server}${path}`, { method, headers, ca: authority.cert, timeout: 60_000 });
    asked.once('timeout', () => asked.destroy(new Error(`no answer to ${method} ${path}`)));
    asked.end(body && JSON.stringify(body));
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    const content = await text(answer);
    return {
      status: answer.statusCode ?? 0,
      body: content.startsWith('{') ? JSON.parse(content) : content,
      warnings: answer.headers['warning'],
    };
  };
  const logOf = (program: string) => async () => readFileSync(file(`${program}.log`), 'utf8').slice(-2000);

  try {
    const store = `http://127.0.0.1:${etcd}`;
    const peer = `http://127.0.0.1:${peers}`;
    start('server', [
      '--name=test',
      `--data-dir=${file('etcd')}`,
      `--listen-client-urls=${store}`,
      `--advertise-client-urls=${store}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=test=${peer}`,
      '--unsafe-no-fsync',
    ]);
    start('kube-apiserver', [
      `--etcd-servers=${store}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${api}`,
      `--tls-cert-file=${certFile}`,
      `--tls-private-key-file=${keyFile}`,
      `--token-auth-file=${file('tokens.csv')}`,
      '--authorization-mode=RBAC',
      '--service-cluster-ip-range=10.96.0.0/16',
      '--endpoint-reconciler-type=none',
      '--service-account-issuer=https://kubernetes.default.svc',
      `--service-account-signing-key-file=${file('accounts.key')}`,
      `--service-account-key-file=${file('accounts.pub')}`,
    ]);
    await eventually(
      async () => {
        const { status, body } = await request('GET', '/readyz');
        if (status !== 200) throw new Error(String(body));
      },
      STARTED_WITHIN_S,
      logOf('kube-apiserver'),
    );
    start('kube-controller-manager', [
      `--kubeconfig=${kubeconfig}`,
      `--service-account-private-key-file=${file('accounts.key')}`,
      `--root-ca-file=${authority.certFile}`,
      `--controllers=${CONTROLLERS.join(',')}`,
      '--leader-elect=false',
      '--secure-port=0',
      '--horizontal-pod-autoscaler-sync-period=2s',
    ]);
    // The first effect of the controllers.
    await eventually(
      async () => {
        const { status } = await request('GET', '/api/v1/namespaces/default/serviceaccounts/default');
        if (status !== 200) throw new Error(`no account: ${status}`);
      },
      STARTED_WITHIN_S,
      logOf('kube-controller-manager'),
    );
  } catch (error) {
    await stop();
    throw error;
  }
  return { kubeconfig, request, stop };
}
