import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import dns from 'node:dns';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import tls from 'node:tls';
import { s3Config } from '../../../adapters/object-store/config.ts';
import { createS3ObjectStore } from '../../../adapters/object-store/s3-object-store.ts';
import { claimPorts, STORE_PORTS } from '../../../dev/launcher/ports.ts';
import { runProgram } from '../../../dev/processes/program.ts';
import { findBinary } from '../../../dev/servers/binaries.ts';
import { planSeaweed } from '../../../dev/servers/seaweed.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { eventually } from '../../support/api.ts';
import { createAuthority } from '../../support/certificates.ts';
import { collect } from '../../support/collect.ts';
import { freePort } from '../../support/free-port.ts';
import { startTlsProxy } from '../../support/tls-proxy.ts';

const PART = 5 * 2 ** 20;

/** A store as managed services offer it: with TLS, and with a host name for each bucket. */
describe('an S3 store with virtual hosts, over TLS', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'darkroom-hosts-'));
  const stops: (() => Promise<unknown>)[] = [];
  const port = await freePort();
  const config = {
    ...readConfig([s3Config], process.env),
    S3_ENDPOINT: `https://localhost:${port}`,
    S3_PUBLIC_ENDPOINT: undefined,
    S3_BUCKET: 'bucket',
    S3_FORCE_PATH_STYLE: false,
  };
  const trusted = tls.getCACertificates('default');
  const lookup = dns.lookup;

  before(async () => {
    const authority = await createAuthority(folder);
    tls.setDefaultCACertificates([...trusted, authority.cert]);
    // Not every machine resolves subdomains of localhost.
    dns.lookup = ((host: string, ...rest: unknown[]) =>
      Reflect.apply(lookup, dns, [
        host.endsWith('localhost') ? '127.0.0.1' : host,
        ...rest,
      ])) as typeof lookup;
    const binary = await findBinary('weed', {
      env: process.env,
      signal: new AbortController().signal,
      part: async (_title, work) => await work(),
    });
    const ports = await claimPorts({ s3: { wanted: 0 }, ...STORE_PORTS }, {});
    const plan = planSeaweed({
      binary,
      folder: join(folder, 'store'),
      ports,
      access: {
        accessKeyId: config.S3_ACCESS_KEY_ID,
        secretAccessKey: config.S3_SECRET_ACCESS_KEY,
        bucket: config.S3_BUCKET,
      },
      env: process.env,
      logFile: join(folder, 'store.log'),
    });
    await plan.beforeStart?.();
    const program = await runProgram({ ...plan, args: [...plan.args, '-s3.domainName=localhost'] });
    stops.push(async () => {
      process.kill(program.pid, 'SIGKILL');
      await program.ended;
      await plan.afterStop?.();
    });
    const proxy = await startTlsProxy(ports.s3, await authority.issue('store'), { port });
    stops.push(() => proxy.stop());
    await eventually(async () => assert.ok(await plan.ready(program.pid)));
  });
  it('signs URLs whose host names the bucket', async () => {
    const url = new URL(await createS3ObjectStore(config).presignGet('a/b', { expiresInSeconds: 60 }));
    assert.equal(url.host, `bucket.localhost:${port}`);
    assert.equal(url.pathname, '/a/b');
  });

  it('supports the same operations as with path-style URLs, with both clients', async () => {
    const store = createS3ObjectStore(config);
    const contentType = 'image/png';
    const bytes = randomBytes(PART);
    await store.ensureBucket();
    await store.ready();
    await store.put('a key/with+signs', bytes, { contentType });
    assert.deepEqual(await store.read('a key/with+signs', { maxBytes: PART }), bytes);
    await store.copy('a key/with+signs', 'copy', { contentType });
    const upload = await store.initiateMultipart('parts', { contentType });
    const copied = await store.copyPart('copy', { first: 0, last: PART - 1 }, upload, 1);
    const [url = ''] = await store.presignParts(upload, [{ number: 2, sizeBytes: 4 }], {
      expiresInSeconds: 60,
    });
    const sent = await fetch(url, { method: 'PUT', body: 'last' });
    assert.equal(sent.status, 200, await sent.text());
    const etag = sent.headers.get('etag') ?? '';
    await store.completeMultipart(upload, [copied, { number: 2, etag }]);
    assert.equal((await store.stat('parts'))?.sizeBytes, PART + 4);

    const sha256 = createHash('sha256').update('signed').digest('hex');
    const put = await store.presignPut('sent', { contentType, sizeBytes: 6, sha256, expiresInSeconds: 60 });
    const stored = async (body: string) =>
      (await fetch(put.url, { method: 'PUT', headers: put.headers, body })).status;
    assert.equal(await stored('others'), 400);
    assert.equal(await stored('signed'), 200);
    assert.equal(
      await (await fetch(await store.presignGet('sent', { expiresInSeconds: 60 }))).text(),
      'signed',
    );

    const keys = (await collect(store.list(''))).map(({ key }) => key);
    assert.deepEqual(keys, ['a key/with+signs', 'copy', 'parts', 'sent']);
    await store.remove(keys);
    assert.deepEqual(await collect(store.list('')), []);
  });

  after(async () => {
    for (const stop of stops.toReversed()) await stop();
    tls.setDefaultCACertificates(trusted);
    dns.lookup = lookup;
    rmSync(folder, { recursive: true, force: true });
  });
});
