import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pino } from 'pino';
import type { Finding } from '../../../cli/doctor/run-checks.ts';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { createEngine } from '../../../temporal/client.ts';
import { temporalConfig } from '../../../temporal/config.ts';
import { connectWorker } from '../../../worker/connect.ts';
import { eventually } from '../../support/api.ts';
import { createAuthority, type Authority, type Certificate } from '../../support/certificates.ts';
import { findQdrant } from '../../support/qdrant-server.ts';
import { runProject } from '../../support/run-program.ts';
import { startGrpcGateway, startTlsProxy, type TlsProxy } from '../../support/tls-proxy.ts';

/**
 * The settings for managed services, on the servers of the shared stack. Postgres terminates TLS itself; a proxy
 * terminates it in front of the other servers. All certificates are real and verified.
 */
const env = process.env as Record<string, string>;
const API_KEY = 'key-of-a-managed-engine';
const QDRANT_KEY = 'key-of-a-managed-index';
const folder = mkdtempSync(join(tmpdir(), 'darkroom-tls-'));
const stops: (() => Promise<unknown>)[] = [];
let authority: Authority;
let server: Certificate;

async function keep<T extends TlsProxy>(starting: Promise<T>): Promise<T> {
  const proxy = await starting;
  stops.push(() => proxy.stop());
  return proxy;
}
const temporalPort = () => Number(env['TEMPORAL_ADDRESS']?.split(':')[1]);

before(async () => {
  authority = await createAuthority(folder);
  server = await authority.issue('server');
});
after(async () => {
  for (const stop of stops.toReversed()) await stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The URL of the shared database, with these parameters. */
function databaseUrl(parameters: Record<string, string>, base = env['DATABASE_URL'] ?? ''): string {
  const url = new URL(base);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

/** Turns TLS on in the shared Postgres. Clients that do not request it are not affected. */
async function enableTls(certificate: Certificate): Promise<void> {
  const orm = createOrm(readConfig([databaseConfig], env));
  try {
    const em = orm.em.fork();
    const [row] = await em.execute<{ folder: string }[]>(
      "select current_setting('data_directory') as folder",
    );
    // Postgres requires to own its key file, and its folder may be unreadable for other users.
    const { uid, gid } = statSync(row?.folder ?? '');
    for (const file of [certificate.certFile, certificate.keyFile]) chownSync(file, uid, gid);
    chownSync(folder, uid, gid);
    const set = async (on: boolean) => {
      if (on) {
        await em.execute(`alter system set ssl_cert_file = '${certificate.certFile}'`);
        await em.execute(`alter system set ssl_key_file = '${certificate.keyFile}'`);
        await em.execute('alter system set ssl = on');
      } else
        for (const name of ['ssl', 'ssl_cert_file', 'ssl_key_file'])
          await em.execute(`alter system reset ${name}`);
      await em.execute('select pg_reload_conf()');
      await eventually(async () => {
        const [found] = await em.execute<{ ssl: string }[]>("select current_setting('ssl') as ssl");
        assert.equal(found?.ssl, on ? 'on' : 'off');
      });
    };
    await set(true);
    stops.push(async () => {
      const again = createOrm(readConfig([databaseConfig], env));
      const fresh = again.em.fork();
      for (const name of ['ssl', 'ssl_cert_file', 'ssl_key_file'])
        await fresh.execute(`alter system reset ${name}`);
      await fresh.execute('select pg_reload_conf()');
      await again.close(true);
    });
  } finally {
    await orm.close(true);
  }
}

async function usesTls(url: string): Promise<boolean | undefined> {
  const orm = createOrm(readConfig([databaseConfig], { DATABASE_URL: url, DATABASE_POOL_SIZE: '1' }));
  try {
    const [row] = await orm.em
      .fork()
      .execute<{ ssl: boolean }[]>('select ssl from pg_stat_ssl where pid = pg_backend_pid()');
    return row?.ssl;
  } finally {
    await orm.close(true);
  }
}

/** A Qdrant, or an HTTPS server that answers the three calls of the doctor as a new Qdrant does. */
async function startIndex(): Promise<string> {
  const start = findQdrant(env);
  if (start) {
    const qdrant = await start();
    stops.push(() => qdrant.stop());
    const { port } = await keep(startTlsProxy(Number(new URL(qdrant.url).port), server));
    return `https://127.0.0.1:${port}`;
  }
  const answers = createServer({ cert: server.cert, key: server.key }, (request, response) => {
    const known = request.headers['api-key'] === QDRANT_KEY;
    const found = known && request.url?.endsWith('/exists');
    response.writeHead(known ? (found ? 200 : 404) : 403, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ status: 'ok', time: 0, result: { exists: false } }));
  }).listen(0, '127.0.0.1');
  await once(answers, 'listening');
  stops.push(async () => {
    answers.closeAllConnections();
    await new Promise((resolve) => answers.close(resolve));
  });
  return `https://127.0.0.1:${(answers.address() as AddressInfo).port}`;
}

describe('over TLS', () => {
  let mutual: TlsProxy;
  let client: Certificate;
  before(async () => {
    client = await authority.issue('client');
    mutual = await keep(startTlsProxy(temporalPort(), server, { clientAuthority: authority.cert }));
    await enableTls(server);
  });

  const mutualTls = () => ({
    TEMPORAL_ADDRESS: `127.0.0.1:${mutual.port}`,
    TEMPORAL_TLS_SERVER_CA_CERT_PATH: authority.certFile,
    TEMPORAL_TLS_CLIENT_CERT_PATH: client.certFile,
    TEMPORAL_TLS_CLIENT_KEY_PATH: client.keyFile,
  });

  /** Connects with both implementations of gRPC: that of Node and that of the worker core. */
  async function reachEngine(settings: Record<string, string>, withinMs = 20_000): Promise<void> {
    const config = readConfig([temporalConfig], { ...settings, TEMPORAL_NAMESPACE: 'default' });
    const engine = createEngine(config);
    try {
      await engine.within(withinMs, ({ workflowService }) =>
        workflowService.describeNamespace({ namespace: 'default' }),
      );
    } finally {
      await engine.close();
    }
    const connection = await connectWorker(config, pino({ level: 'silent' }), AbortSignal.timeout(withinMs));
    assert.ok(connection, 'a worker cannot connect');
    await connection.workflowService.describeNamespace({ namespace: 'default' });
    await connection.close();
  }

  test('client and worker authenticate to Temporal with a certificate', async () => {
    await reachEngine(mutualTls());
    const { TEMPORAL_ADDRESS, TEMPORAL_TLS_SERVER_CA_CERT_PATH } = mutualTls();
    await assert.rejects(
      reachEngine({ TEMPORAL_ADDRESS, TEMPORAL_TLS_SERVER_CA_CERT_PATH }, 1000),
      /cannot be reached/,
    );
  });

  test('client and worker authenticate to Temporal with an API key', async () => {
    const gateway = await keep(startGrpcGateway(temporalPort(), server, API_KEY));
    const settings = {
      TEMPORAL_ADDRESS: `127.0.0.1:${gateway.port}`,
      TEMPORAL_TLS_SERVER_CA_CERT_PATH: authority.certFile,
    };
    await reachEngine({ ...settings, TEMPORAL_API_KEY: API_KEY });
    await assert.rejects(reachEngine({ ...settings, TEMPORAL_API_KEY: 'another' }), /no such key/);
  });

  test('a server name can be set if the certificate has another name than the address', async () => {
    const named = await keep(startTlsProxy(temporalPort(), server));
    const settings = {
      TEMPORAL_ADDRESS: `127.0.0.1:${named.port}`,
      TEMPORAL_TLS_SERVER_CA_CERT_PATH: authority.certFile,
    };
    await reachEngine({ ...settings, TEMPORAL_TLS_SERVER_NAME: 'localhost' });
    const elsewhere = { ...settings, TEMPORAL_TLS_SERVER_NAME: 'elsewhere.example' };
    await assert.rejects(reachEngine(elsewhere, 1000), /cannot be reached/);
  });

  test('connections to Postgres are encrypted and verified as sslmode requires', async () => {
    assert.equal(await usesTls(databaseUrl({})), false);
    assert.equal(await usesTls(databaseUrl({ sslmode: 'no-verify' })), true);
    for (const sslmode of ['require', 'verify-full']) {
      assert.equal(await usesTls(databaseUrl({ sslmode, sslrootcert: authority.certFile })), true);
      await assert.rejects(usesTls(databaseUrl({ sslmode })), /certificate/);
    }
  });

  test('the doctor reports every server as ready, and how each connection is protected', async () => {
    const s3 = await keep(startTlsProxy(Number(new URL(env['S3_ENDPOINT'] ?? '').port), server));
    const settings = {
      ...mutualTls(),
      NODE_EXTRA_CA_CERTS: authority.certFile,
      DATABASE_URL: databaseUrl({ sslmode: 'verify-full' }),
      S3_ENDPOINT: `https://127.0.0.1:${s3.port}`,
      S3_PUBLIC_ENDPOINT: `https://127.0.0.1:${s3.port}`,
      QDRANT_URL: await startIndex(),
      QDRANT_API_KEY: QDRANT_KEY,
    };
    // Without the authority and with one server down, the doctor still checks everything else.
    const { NODE_EXTRA_CA_CERTS: _, ...untrusting } = settings;
    const [{ code, output }, broken] = await Promise.all([
      runProject('cli/doctor/main.ts', ['--json', '--within', '120'], settings),
      runProject('cli/doctor/main.ts', ['--within', '120'], {
        ...untrusting,
        TEMPORAL_ADDRESS: '127.0.0.1:1',
      }),
    ]);
    const { ready, findings } = JSON.parse(output) as { ready: boolean; findings: Finding[] };
    assert.deepEqual(
      findings.filter(({ outcome }) => outcome === 'failed'),
      [],
    );
    assert.equal(ready, true);
    assert.equal(code, 0);
    const tlsOf = findings
      .filter(({ check }) => check === 'TLS')
      .map(({ area, detail }) => `${area}: ${detail}`);
    assert.deepEqual(tlsOf, [
      'Postgres: TLSv1.3, certificate verified',
      'Temporal: on, with client certificate',
      'Object store: on, certificate verified',
      'Vector index: on, certificate verified',
    ]);
    const presigned = findings.find(({ check }) => check === 'presigned');
    assert.match(presigned?.detail ?? '', /^https:.* accepts the signed bytes and rejects others/);

    assert.equal(broken.code, 1);
    assert.match(broken.output, /✗ Object store .*\n.*NODE_EXTRA_CA_CERTS/);
    assert.match(broken.output, /✗ Postgres .*\n.*sslrootcert/);
    assert.match(broken.output, /✗ Temporal .*\n.*nothing listens there/);
    assert.match(broken.output, /✓ Disk space/);
    assert.match(broken.output, /Not ready: \d+ failed/);
  });
});
