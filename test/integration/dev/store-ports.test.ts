import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { s3Config } from '../../../adapters/object-store/config.ts';
import { createS3ObjectStore } from '../../../adapters/object-store/s3-object-store.ts';
import { ADMIN_GRPC_ABOVE, CERTIFICATE_FILE, KEY_FILE } from '../../../dev/servers/seaweed.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';

const home = dirname(process.env['DARKROOM_RUN'] ?? '');
const ports = JSON.parse(readFileSync(join(home, 'ports.json'), 'utf8')) as Record<string, number>;
ports['adminGrpc'] = (ports['admin'] ?? 0) + ADMIN_GRPC_ABOVE;
const config = readConfig([s3Config], process.env);
const objects = createS3ObjectStore(config);
const KEY = 'original/of-a-tenant';
const NOBODY = 65_534;

test('without credentials no port of the object store allows reading, writing or deleting', async (t) => {
  await objects.put(KEY, Buffer.from('secret'), { contentType: 'text/plain' });
  t.after(() => objects.remove([KEY]));
  const fid = await newFid();
  const object = `${config.S3_BUCKET}/${KEY}`;
  const attempts: [port: string, method: string, path: string][] = [
    ['s3', 'GET', `/${object}`],
    ['s3', 'PUT', `/${object}`],
    ['s3', 'DELETE', `/${object}`],
    ['s3', 'GET', '/'],
    ['filer', 'GET', `/buckets/${object}`],
    ['filer', 'GET', `/buckets/${object}?metadata=true`],
    ['filer', 'GET', `/buckets/${config.S3_BUCKET}/`],
    ['filer', 'POST', `/buckets/${object}`],
    ['filer', 'PUT', `/buckets/${object}`],
    ['filer', 'DELETE', `/buckets/${config.S3_BUCKET}?recursive=true`],
    ['filer', 'GET', `/?proxyChunkId=${fid}`],
    ['master', 'GET', '/dir/assign'],
    ['master', 'GET', `/dir/lookup?fileId=${fid}`],
    ['master', 'POST', '/submit'],
    ['master', 'GET', `/${fid}`],
    ['master', 'GET', `/col/delete?collection=${config.S3_BUCKET}`],
    ['volume', 'GET', `/${fid}`],
    ['volume', 'POST', `/${fid}`],
    ['volume', 'DELETE', `/${fid}`],
    ...['s3Grpc', 'filerGrpc', 'masterGrpc', 'volumeGrpc', 'adminGrpc'].map(
      (port): [string, string, string] => [port, 'gRPC', '/any.Service/Any'],
    ),
  ];
  const urls = attempts.map(([port, method, path]) => ({ method, origin: `127.0.0.1:${ports[port]}`, path }));
  const answers = tryAsNobody(urls);
  const taken = attempts.filter((_, index) => !/^(refused|40[013])$/.test(answers[index] ?? ''));
  assert.deepEqual(taken, [], answers.join(' '));
  assert.equal((await objects.read(KEY, { maxBytes: 100 })).toString(), 'secret');
});

/** The response to each request of another user from a foreign web page: a status, or `refused`. */
function tryAsNobody(urls: { method: string; origin: string; path: string }[]): string[] {
  const script = `
    const { connect } = await import('node:http2');
    const grpc = (origin) => new Promise((resolve) => {
      const session = connect(origin, { rejectUnauthorized: false });
      session.on('error', () => resolve('refused')).on('close', () => resolve('refused'));
      const call = session.request({ ':method': 'POST', ':path': '/any.Service/Any',
        'content-type': 'application/grpc', te: 'trailers' });
      call.on('error', () => resolve('refused'));
      call.on('response', (headers) => { resolve('answered ' + headers[':status']); session.destroy(); });
      call.end();
    });
    const http = async (method, url) => {
      const body = method === 'GET' || method === 'DELETE' ? undefined : new FormData();
      body?.append('file', new Blob(['evil']), 'evil');
      const headers = { Origin: 'https://evil.example' };
      try {
        const answer = await fetch(url, { method, headers, body, redirect: 'manual' });
        await answer.arrayBuffer();
        return String(answer.status);
      } catch {
        // A port that speaks TLS may close the connection before it has read the body.
        return 'refused';
      }
    };
    const answers = [];
    for (const { method, origin, path } of ${JSON.stringify(urls)}) {
      const answer = method !== 'gRPC' ? await http(method, 'http://' + origin + path)
        : [await grpc('http://' + origin), await grpc('https://' + origin)].find((a) => a !== 'refused') ?? 'refused';
      answers.push(answer);
    }
    process.stdout.write(JSON.stringify(answers));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
    cwd: '/',
    env: {},
    timeout: 60_000,
    ...(process.getuid?.() === 0 && { uid: NOBODY, gid: NOBODY }),
  });
  assert.ok(stdout !== '', stderr);
  return JSON.parse(stdout) as string[];
}

/** A file id of the volume server, assigned by the master for the store's own certificate. */
function newFid(): Promise<string> {
  const file = (name: string) => readFileSync(join(home, 's3', name));
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const tls = { cert: file(CERTIFICATE_FILE), key: file(KEY_FILE), ca: file(CERTIFICATE_FILE) };
  const asked = request(
    {
      host: '127.0.0.1',
      port: ports['master'],
      path: '/dir/assign',
      ...tls,
      checkServerIdentity: () => undefined,
    },
    (answer) => {
      answer.setEncoding('utf8').on('data', (text: string) => {
        resolve((JSON.parse(text) as { fid: string }).fid);
      });
    },
  );
  asked.on('error', reject).end();
  return promise;
}
