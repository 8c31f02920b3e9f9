import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { runDemo } from '../../dev/demo/demo.ts';
import type { RunInfo } from '../../dev/launcher/home.ts';
import { PROJECT_ROOT } from '../../dev/project-root.ts';
import { paintContent } from '../../lab/chaos/contents.ts';
import { Darkroom } from '../../sdk/src/index.ts';
import { eventually } from '../support/api.ts';
import { freePort } from '../support/free-port.ts';
import { makeVideo } from '../support/videos.ts';
import { describeReads, startReads } from '../support/steady-reads.ts';
import { startUploads } from '../support/steady-uploads.ts';
import { readBackupCommands } from './backup-commands.ts';
import { bringUp, crash, fillUp, readServices, untilReady } from './composition.ts';
import { buildImage, namesOfImages, provideImages, removeShells } from './make-images.ts';
import { openPodman, type Podman } from './podman.ts';

/**
 * `docker-compose.yml` and the Dockerfile as they are, in containers, with settings from `.env` alone. Images that cannot
 * be pulled are made here; then Qdrant is its own engine behind a small server.
 */
const IMAGE = 'localhost/darkroom:latest';
/** With all models. */
const MOST_BYTES = 700 * 1000 ** 2;
const OWNER = 'ada@studio.example';
const FILES = 60;
const SENDERS = 4;
const REPLICAS = 2;
/** Fewest uploads before and after an exchange. */
const EXCHANGE_FILES = 10;
const SEED = 20261127;
const DONE_WITHIN_MS = 300_000;

const folder = mkdtempSync(join(tmpdir(), 'darkroom-compose-'));
const envFile = join(folder, '.env');
const progress = (text: string) => console.log(`  … ${text}`);

describe('the composition', { timeout: 3_600_000 }, () => {
  let podman: Podman;
  let client: Darkroom;
  let info: RunInfo;
  const sent = new Map<string, string>();

  before(async () => {
    const { port, ui } = await writeSettings();
    podman = await openPodman(envFile);
    // Left by a run that was interrupted.
    await podman.removeAll();
    const images = await namesOfImages(join(PROJECT_ROOT, 'Dockerfile'), Object.values(readServices()));
    const known = images.filter((image) => !image.startsWith('${'));
    for (const image of await provideImages(podman, known, progress)) progress(`${image} is made here`);
    if (process.env['COMPOSE_TEST_KEEP_IMAGE'] === undefined) {
      progress('building the Dockerfile');
      await buildImage(podman, IMAGE, PROJECT_ROOT);
      // No process may need one.
      await removeShells(podman, IMAGE);
    }
    await bringUp(podman, progress);
    const owner = ['--owner', OWNER, '--tier', 'professional', '--json'];
    const created = await inApi('cli/admin/main.ts', 'create-tenant', 'Studio', ...owner);
    const { tenantId, password } = JSON.parse(created) as { tenantId: string; password: string };
    await inApi('cli/admin/main.ts', 'set-limits', tenantId, '--requests-per-minute', 'unlimited');
    const key = await inApi('cli/admin/main.ts', 'create-key', tenantId);
    const api = `http://127.0.0.1:${port}/api/v2`;
    const enterprise = { email: OWNER, password };
    const ui_url = `http://127.0.0.1:${ui}`;
    info = { api_url: api, api_key: key, temporal_ui_url: ui_url, tenants: { enterprise } } as RunInfo;
    client = new Darkroom({ baseUrl: api, apiKey: key });
  });
  after(async () => {
    await podman.removeAll();
    rmSync(folder, { recursive: true });
  });

  const finished = (id: string) => client.wait(id, { signal: AbortSignal.timeout(DONE_WITHIN_MS) });
  const inApi = async (...args: string[]) => {
    const [replica = ''] = await podman.containersOf('api');
    return podman.run(['exec', replica, 'node', ...args]);
  };

  test('the image has at most 700 MB, and its processes are not root', async () => {
    const bytes = Number(await podman.run(['image', 'inspect', '--format', '{{.Size}}', IMAGE]));
    progress(`the image has ${Math.round(bytes / 1000 ** 2)} MB`);
    const [replica = ''] = await podman.containersOf('api');
    assert.notEqual(await podman.run(['exec', replica, 'id', '-u']), '0');
    assert.ok(bytes <= MOST_BYTES, `${bytes} bytes`);
  });

  test('the demo runs through the proxy', async () => {
    const lines: string[] = [];
    await runDemo({ runInfo: info, exit: true, pageUrl: undefined, log: (text) => lines.push(text) });
    assert.match(lines.join('\n'), /Search for “rocket”: Rocket/);
  });

  test('a video is decoded without a shell', async () => {
    await assert.rejects(
      podman.run(['run', '--rm', '--entrypoint', 'sh', IMAGE, '-c', 'true']),
      /executable file/,
    );
    const { file_id } = await client.upload(await makeVideo(), { filename: 'scenes.mp4' });
    const file = await finished(file_id);
    assert.equal(file.primary_status, 'completed', JSON.stringify(file));
  });

  test('no file is lost when a replica, workers and servers are killed', async () => {
    const indexes = Array.from({ length: FILES }, (_, index) => index);
    const send = async () => {
      for (let index = indexes.shift(); index !== undefined; index = indexes.shift()) {
        const { bytes, sha256 } = await paintContent(SEED, index, index % 20 === 0);
        const { file_id } = await client.upload(bytes, {
          filename: `${index}.png`,
          title: `Noise ${index}`,
          retries: 20,
        });
        sent.set(file_id, sha256);
      }
    };
    const kill = async () => {
      for (const [at, service] of ['api', 'worker', 's3', 'worker-cpu', 'temporal', 'postgres'].entries()) {
        const due = (at + 1) * Math.floor(FILES / 8);
        while (sent.size < due && indexes.length > 0)
          await new Promise((resolve) => setTimeout(resolve, 100));
        progress(`killing ${service} after ${sent.size} files`);
        const [container = ''] = await podman.containersOf(service);
        await crash(podman, container);
        await untilReady(podman, service);
      }
    };
    await Promise.all([kill(), ...Array.from({ length: SENDERS }, send)]);
    assert.equal(sent.size, FILES);
    for (const id of sent.keys()) {
      const file = await finished(id);
      assert.equal(file.primary_status, 'completed', JSON.stringify(file));
    }
  });

  test('replicas of the API are exchanged one by one while clients upload and read', async () => {
    await fillUp(podman, 'api', REPLICAS);
    const uploads = startUploads(client);
    const reads = startReads(info);
    const more = async () => {
      const enough = uploads.met.acknowledged.size + EXCHANGE_FILES;
      await eventually(async () => assert.ok(uploads.met.acknowledged.size >= enough), DONE_WITHIN_MS / 1000);
    };
    try {
      await more();
      for (const replica of await podman.containersOf('api')) {
        await podman.run(['stop', '--time', '30', replica]);
        await podman.run(['rm', replica]);
        await fillUp(podman, 'api', REPLICAS);
      }
      await more();
    } finally {
      await Promise.all([uploads.stop(), reads.stop()]);
    }
    const { acknowledged, refused, silentSeconds } = uploads.met;
    progress(`${acknowledged.size} files acknowledged, ${refused} requests refused`);
    progress(`${silentSeconds.toFixed(1)} s without an acknowledgement; ${describeReads(reads.read)}`);
    const before = sent.size;
    for (const { file_id, sha256 } of acknowledged.values()) sent.set(file_id, sha256);
    assert.equal(sent.size, before + acknowledged.size, 'each has an id of its own');
  });

  test('everything is there after all containers were removed and created again', async () => {
    await podman.removeContainers();
    await bringUp(podman, progress);
    for (const id of sent.keys()) {
      assert.equal((await finished(id)).primary_status, 'completed');
    }
  });

  test('the audit finds no breach', async () => {
    const lines = Array.from(sent, ([file_id, sha256]) => JSON.stringify({ file_id, sha256 }));
    const [replica = ''] = await podman.containersOf('api');
    const path = join(folder, 'acknowledged.jsonl');
    writeFileSync(path, `${lines.join('\n')}\n`);
    await podman.run(['cp', path, `${replica}:/tmp/acknowledged.jsonl`]);
    progress(await inApi('cli/audit/main.ts', '--acknowledged', '/tmp/acknowledged.jsonl'));
  });

  test('the commands of the runbook restore an earlier moment from a backup', async () => {
    const { override, runUntil, restoreTo } = readBackupCommands(folder, envFile);
    podman = await openPodman(envFile, override);
    await runUntil('pg_basebackup');
    await untilReady(podman, 'api');
    await runUntil('copy-objects');
    const upload = async (index: number) => {
      const { bytes } = await paintContent(SEED, index, false);
      const { file_id } = await client.upload(bytes, { filename: `${index}.png`, retries: 20 });
      await finished(file_id);
      return file_id;
    };
    const kept = await upload(FILES);
    const moment = new Date();
    const lost = await upload(FILES + 1);
    restoreTo(moment);
    const printed = (await runUntil()).join('\n');
    assert.match(printed, /Copied \d+ objects/);
    assert.match(printed, /Restored \d+ objects; [1-9]\d* of \/copies have no row, 0 have no copy/);
    assert.match(printed, /All invariants hold/);
    for (const id of [...sent.keys(), kept]) assert.equal((await finished(id)).primary_status, 'completed');
    await assert.rejects(finished(lost), { status: 404 });
  });
});

/** Fills in `.env.example` as the runbook says, with free ports. */
async function writeSettings(): Promise<{ port: number; ui: number }> {
  const [port, s3, https, ui] = [await freePort(), await freePort(), await freePort(), await freePort()];
  const secret = () => randomBytes(24).toString('hex');
  const settings: Record<string, string> = {
    POSTGRES_PASSWORD: secret(),
    S3_ACCESS_KEY_ID: secret(),
    S3_SECRET_ACCESS_KEY: secret(),
    QDRANT_API_KEY: secret(),
    ENCRYPTION_KEY: `k1:${randomBytes(32).toString('base64')}`,
    DARKROOM_IMAGE: IMAGE,
    PORT: String(port),
    S3_PORT: String(s3),
    HTTPS_PORT: String(https),
    TEMPORAL_UI_PORT: String(ui),
    S3_PUBLIC_ENDPOINT: `http://127.0.0.1:${s3}`,
  };
  const example = readFileSync(join(PROJECT_ROOT, '.env.example'), 'utf8');
  const filled = example.replaceAll(
    /^([A-Z][A-Z0-9_]*)=(.*)$/gm,
    (line, name: string) => `${name}=${settings[name] ?? line.slice(name.length + 1)}`,
  );
  writeFileSync(envFile, filled, { mode: 0o600 });
  return { port, ui };
}
