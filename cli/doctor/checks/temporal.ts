import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { isGrpcServiceError, type TLSConfig } from '@temporalio/client';
import { visionConfig, visionEndpoints } from '../../../adapters/models/vision/config.ts';
import { LOCAL_PROVIDER } from '../../../domain/structured-extraction/extraction.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { createEngine, type Engine } from '../../../temporal/client.ts';
import { temporalConfig } from '../../../temporal/config.ts';
import { connectionOptions } from '../../../temporal/connection-options.ts';
import { QUEUES, visionQueue } from '../../../temporal/contract/queues.ts';
import { namespaceCommands } from '../../../temporal/prepare-namespace.ts';
import { isUnserved } from '../../../domain/stuck.ts';
import { createLastSeenOf } from '../../../temporal/status/task-queues.ts';
import { readNamespace, RETENTION_DAYS } from '../../../temporal/status/read-namespace.ts';
import { connectionRemedy, type Area, type Report, isPrivateHost } from '../run-checks.ts';

const WITHIN_MS = 10_000;
const PREPARE = 'run node cli/admin/main.ts prepare-temporal';
/** Queues without whose workers nothing is processed; each of the others serves only some of the work. */
const NEEDED: readonly string[] = [QUEUES.workflows, QUEUES.io];
const PERMISSION_DENIED = 7;
const UNAUTHENTICATED = 16;

/** Checks that Temporal is reachable, its namespace is prepared, and every queue has workers. */
export const temporal: Area = {
  name: 'Temporal',
  slices: [temporalConfig, visionConfig],
  async check(env, report) {
    const config = readConfig([temporalConfig, visionConfig], env);
    const engine = createEngine(config);
    try {
      const { address, tls, apiKey } = connectionOptions(config);
      await openConnection(address, tls);
      const { serverVersion } = await engine.within(WITHIN_MS, ({ workflowService }) =>
        workflowService.getSystemInfo({}),
      );
      report.ok('reachable', `${address}, version ${serverVersion || 'unknown'}`);
      const identity =
        apiKey === undefined ? (tls?.clientCertPair ? ', with client certificate' : '') : ', with API key';
      if (tls) report.ok('TLS', `on${identity}`);
      else if (isPrivateHost(address.replace(/:\d+$/, ''))) report.ok('TLS', 'off, on a private address');
      else
        report.warn('TLS', 'off', 'set TEMPORAL_TLS=true, or TEMPORAL_API_KEY, or the TEMPORAL_TLS_* files');
      if (!(await reportNamespace(engine, report))) return;
      await reportQueues(
        engine,
        [...visionEndpoints(config).map(({ provider }) => provider), LOCAL_PROVIDER].map(visionQueue),
        report,
      );
    } finally {
      await engine.close();
    }
  },
  remedy,
};

async function reportNamespace(engine: Engine, report: Report): Promise<boolean> {
  const { namespace } = engine.client.options;
  const facts = await readNamespace(engine, WITHIN_MS);
  if (!facts.exists) {
    report.fail('namespace', `${namespace} does not exist`, PREPARE);
    return false;
  }
  report.ok('namespace', namespace);
  const { retentionDays, missingAttributes } = facts;
  if (retentionDays >= RETENTION_DAYS) report.ok('retention', `${retentionDays} days`);
  else
    report.warn(
      'retention',
      `${retentionDays} days: histories are deleted before the expected ${RETENTION_DAYS}`,
      PREPARE,
    );
  if (missingAttributes.length === 0) report.ok('search attributes', 'all present');
  else {
    const [command = ''] = namespaceCommands(namespace, { ...facts, retentionDays: RETENTION_DAYS });
    report.fail(
      'search attributes',
      `${missingAttributes.join(', ')} missing`,
      `${PREPARE}, or ${command} …`,
    );
  }
  if (facts.pausesWorkflows) report.ok('pause', 'operators may pause workflows');
  else {
    report.warn(
      'pause',
      'operators may pause activities, not workflows',
      'set frontend.WorkflowPauseEnabled, see temporal/dynamic-config.yaml',
    );
  }
  return true;
}

async function reportQueues(engine: Engine, vision: readonly string[], report: Report): Promise<void> {
  const seenAt = createLastSeenOf(engine, WITHIN_MS);
  const queues = [...Object.values(QUEUES), ...vision];
  const seen = await Promise.all(queues.map(seenAt));
  const idle = queues.filter((_, index) => isUnserved(seen[index], new Date()));
  if (idle.length === 0) report.ok('workers', `on every queue: ${queues.join(', ')}`);
  else {
    const names = [...new Set(idle.map((queue) => (vision.includes(queue) ? 'vision' : queue)))].join(',');
    const needed = idle.some((queue) => NEEDED.includes(queue)) ? ', so nothing is processed' : '';
    report.warn(
      'workers',
      `none on ${idle.join(', ')}${needed}`,
      `start node worker/main.ts --queues ${names}`,
    );
  }
}

function remedy(error: unknown): string {
  const cause = error instanceof Error && isGrpcServiceError(error.cause) ? error.cause : error;
  if (isGrpcServiceError(cause) && [PERMISSION_DENIED, UNAUTHENTICATED].includes(cause.code)) {
    return 'check TEMPORAL_API_KEY or the client certificate, and their rights to the namespace';
  }
  return connectionRemedy(
    error,
    'TEMPORAL_TLS_SERVER_CA_CERT_PATH',
    'check TEMPORAL_ADDRESS, and TEMPORAL_TLS if it expects TLS',
  );
}

/**
 * Opens a connection and closes it, because gRPC reports only that a deadline passed, not why. Errors of the host name,
 * port or certificate surface here.
 *
 * @param address `host:port`
 * @throws the error of Node's socket
 */
async function openConnection(address: string, tls: TLSConfig | undefined): Promise<void> {
  const { hostname, port } = new URL(`tcp://${address}`);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const target = { host, port: Number(port === '' ? 7233 : port) };
  const { serverRootCACertificate: ca, clientCertPair, serverNameOverride: servername } = tls ?? {};
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = tls
    ? connectTls({
        ...target,
        ALPNProtocols: ['h2'],
        ...(ca && { ca: Buffer.from(ca) }),
        ...(servername !== undefined && { servername }),
        ...(clientCertPair && {
          cert: Buffer.from(clientCertPair.crt),
          key: Buffer.from(clientCertPair.key),
        }),
      })
    : connect(target);
  socket.once(tls ? 'secureConnect' : 'connect', resolve).once('error', reject);
  socket.setTimeout(WITHIN_MS, () => reject(new Error(`no answer within ${WITHIN_MS / 1000} s (ETIMEDOUT)`)));
  try {
    await promise;
  } finally {
    socket.destroy();
  }
}
