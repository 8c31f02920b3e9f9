import assert from 'node:assert/strict';
import { chmod, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import sharp from 'sharp';
import {
  BrowserBusy,
  createScreenshots,
  ScreenshotFailed,
  type Screenshots,
} from '../../../adapters/browser/screenshots.ts';
import { createImageDecoder } from '../../../engines/image-decoder/image-decoder.ts';
import { s3Config } from '../../../adapters/object-store/config.ts';
import { createS3ObjectStore } from '../../../adapters/object-store/s3-object-store.ts';
import { createAddressGuard } from '../../../adapters/outbound/address-guard.ts';
import { webFetchConfig } from '../../../adapters/web-fetch/config.ts';
import { createWebFetch } from '../../../adapters/web-fetch/web-fetch.ts';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { LinkDetails } from '../../../db/entities/links/link-details.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { createHostSlots } from '../../../services/links/host-slots.ts';
import { renderPreview } from '../../../services/links/render-preview.ts';
import { takeScreenshot } from '../../../services/links/take-screenshot.ts';
import { sharedRun } from '../../support/api.ts';
import { findChromium } from '../../support/chromium.ts';
import { createOwnTenant } from '../../support/own-tenant.ts';
import { article } from '../../support/web-pages.ts';
import { pages, startWebSite } from '../../support/web-site.ts';

const { executablePath } = await findChromium();
// A separate folder, so that only the browser profiles of this test are counted. As root, Chromium gets another user.
process.env['TMPDIR'] = await mkdtemp(join(tmpdir(), 'darkroom-screenshots-'));
await chmod(tmpdir(), 0o755);
const site = await startWebSite('127.0.0.1');
const internal = await startWebSite('127.0.0.2');
const orm = createOrm(readConfig([databaseConfig], process.env));
const decoder = createImageDecoder({ slots: 1 });
after(async () => {
  await rm(tmpdir(), { recursive: true });
  await decoder.close();
  await orm.close(true);
  await Promise.all([site.stop(), internal.stop()]);
});

const guard = createAddressGuard(['127.0.0.1'], { plainPublic: true });
const never = new AbortController().signal;
function screenshotsWith(limits = { wallMs: 60_000, cpuMs: 30_000, loadMs: 5_000 }): Screenshots {
  // Containers often do not allow the sandbox of Chromium.
  const config = { CHROMIUM_PATH: executablePath, CHROMIUM_SANDBOX: 'off', CHROMIUM_SLOTS: 1 } as const;
  const screenshots = createScreenshots(config, guard, limits);
  assert.ok(screenshots);
  return screenshots;
}
const screenshots = screenshotsWith();
const take = (path: string, { tenantId = 'one', signal = never, from = screenshots } = {}) =>
  from.take(site.url(path), { tenantId, signal });
const profiles = async () =>
  (await readdir(tmpdir())).filter((name) => name.startsWith('darkroom-chromium-'));

async function colourAt(jpeg: Buffer, left: number, top: number): Promise<number[]> {
  const { data } = await sharp(jpeg)
    .extract({ left, top, width: 1, height: 1 })
    .raw()
    .toBuffer({ resolveWithObject: true });
  return [...data].map((value) => (value > 127 ? 1 : 0));
}

const html = (markup: string) =>
  pages.of(Buffer.from(`<!doctype html><body style="margin:0;background:#00f">${markup}`), {
    'content-type': 'text/html',
  });

test('a page is rendered with its scripts and images, and cannot reach a refused address', async () => {
  site.serve(
    '/red.png',
    pages.of(
      await sharp({ create: { width: 8, height: 8, channels: 3, background: '#f00' } })
        .png()
        .toBuffer(),
      { 'content-type': 'image/png' },
    ),
  );
  site.serve(
    '/page',
    html(`<img src="/red.png" width="400" height="400"><img src="${internal.url('/secret.png')}">
      <script>
        alert('wait');
        document.body.append(Object.assign(document.createElement('div'),
          { style: 'position:absolute;left:600px;top:0;width:400px;height:400px;background:#0f0' }));
        fetch('${internal.url('/fetched')}', { mode: 'no-cors' });
        new WebSocket('ws://127.0.0.2:${internal.port}/');
        open('${internal.url('/opened')}');
      </script>`),
  );
  const jpeg = await take('/page');
  const { width, height, format } = await sharp(jpeg).metadata();
  assert.deepEqual([width, height, format], [1280, 800, 'jpeg']);
  assert.deepEqual(
    [await colourAt(jpeg, 200, 200), await colourAt(jpeg, 800, 200), await colourAt(jpeg, 1200, 700)],
    [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ],
  );
  assert.deepEqual([internal.connections(), await profiles()], [0, []]);
});

for (const [what, path, page, reason] of [
  [
    'navigates to a refused address',
    '/leads',
    html(`<script>location = '${internal.url('/')}'</script>`),
    /cannot show/,
  ],
  [
    'redirects to a refused address',
    '/moved',
    pages.redirect(internal.url('/')),
    /cannot show the page: ERR_/,
  ],
  ['does not answer', '/cut', pages.cut(Buffer.from('')), /cannot show the page: ERR_/],
  ['runs a script without end', '/busy', html('<script>for (;;);</script>'), /takes too long to be shown/],
] as const)
  test(`the screenshot of a page that ${what} fails with the reason`, async () => {
    site.serve(path, page);
    const limited = screenshotsWith({ wallMs: 20_000, cpuMs: 3_000, loadMs: 2_000 });
    await assert.rejects(take(path, { from: limited }), { name: 'ScreenshotFailed', message: reason });
    assert.deepEqual([internal.connections(), await profiles()], [0, []]);
  });

test('screenshots wait in a bounded queue, one of each tenant, and further ones are refused', async () => {
  site.serve('/stalled', pages.stalled(Buffer.from('<!doctype html>')));
  const leave = new AbortController();
  const first = take('/stalled', leave);
  await turn();
  const next = take('/page');
  await assert.rejects(take('/page'), { name: 'BrowserBusy' });
  const away = new AbortController();
  const others = ['two', 'three', 'four'].map((tenantId) => take('/page', { tenantId, signal: away.signal }));
  await assert.rejects(take('/page', { tenantId: 'five' }), { name: 'BrowserBusy' });
  away.abort(new Error('away'));
  for (const other of others) await assert.rejects(other, /away/);
  leave.abort(new Error('enough'));
  await assert.rejects(first, /enough/);
  assert.equal((await sharp(await next).metadata()).format, 'jpeg');
  assert.deepEqual(await profiles(), []);
});

test('a page cannot store its data on the disk', async () => {
  const bytes = 16 * 2 ** 20;
  site.serve(
    '/hoard',
    html(`<img src="/hoarding.png"><script type="module">
      const bytes = new Uint8Array(${bytes}).fill(7);
      const folder = await navigator.storage.getDirectory();
      const writer = await (await folder.getFileHandle('x', { create: true })).createWritable();
      await writer.write(bytes);
      await writer.close();
      const open = indexedDB.open('x');
      open.onupgradeneeded = () => open.result.createObjectStore('x');
      open.onsuccess = () => {
        const change = open.result.transaction('x', 'readwrite', { durability: 'strict' });
        change.objectStore('x').put(new Blob([bytes]), 1);
        change.objectStore('x').put(bytes, 2);
        change.oncomplete = () => fetch('/hoarded');
      };
    </script>`),
  );
  // The page finishes loading once it has stored all its data.
  const { promise: loading, resolve: load } = Promise.withResolvers<ServerResponse>();
  site.serve('/hoarding.png', load);
  let size = 0;
  site.serve('/hoarded', (response) => {
    response.end();
    void sizeOfProfiles().then(async (found) => {
      size = found;
      (await loading).end();
    });
  });
  await take('/hoard');
  assert.ok(size > 0 && size < bytes, `${size} bytes`);
});

async function sizeOfProfiles(): Promise<number> {
  let total = 0;
  for (const name of await readdir(tmpdir(), { recursive: true }))
    total += (await stat(join(tmpdir(), name)).catch(() => undefined))?.size ?? 0;
  return total;
}

test('a screenshot is the preview of a link whose page has no image, and a failure is stored with its reason', async () => {
  const { client, tenantId } = await createOwnTenant(orm, sharedRun());
  // Keeps the run of the file open, since ended files are not changed.
  const { promise: held, resolve: hold } = Promise.withResolvers<ServerResponse>();
  site.serve('/held.png', (response) => hold(response));
  site.serve('/plain', article({ title: 'Plain', head: '<meta property="og:image" content="/held.png">' }));
  const { body } = await client.post('/files/links', { url: site.url('/plain'), auto_describe: false });
  const target = { fileId: String(body.file_id), tenantId, generation: 1 };
  const detail = async () => (await client.get(`/files/${target.fileId}`)).body;
  const unanswered = await held;
  site.serve('/held.png', pages.error(404));
  const before = await detail();
  assert.deepEqual([before.screenshot_url, before.screenshot_error, before.variant_count], [null, null, 0]);
  const em = orm.em.fork();
  const objects = createS3ObjectStore(readConfig([s3Config], process.env));
  const failing = screenshotsWith({ wallMs: 1, cpuMs: 1, loadMs: 1 });
  const deps = { em, objects, screenshots, onError: (error: unknown) => assert.fail(String(error)) };
  const { fileId } = target;
  await takeScreenshot({ ...deps, screenshots: failing }, target, never);
  assert.equal((await detail()).screenshot_error, 'the page takes too long to be shown');
  const failed = site.requests.length;
  await takeScreenshot(deps, target, never);
  assert.equal(site.requests.length, failed, 'a repeated attempt finds the failure');

  const recrawl = () => em.nativeUpdate(LinkDetails, { fileId }, { crawledAt: new Date() });
  await recrawl();
  const late = { screenshots: { take: () => Promise.reject(new BrowserBusy()) } };
  await assert.rejects(takeScreenshot({ ...deps, ...late }, target, never), { name: 'BrowserBusy' });
  await em.nativeUpdate(
    LinkDetails,
    { fileId },
    { crawledAt: new Date(Date.now() - 3_600_000), screenshotAt: null },
  );
  await takeScreenshot({ ...deps, ...late }, target, never);
  assert.equal((await detail()).screenshot_error, 'the browsers were busy');

  await recrawl();
  const cause = new Error('no sandbox');
  const broken = { take: () => Promise.reject(new ScreenshotFailed('the browser failed', { cause })) };
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  await takeScreenshot({ ...deps, screenshots: broken, onError }, target, never);
  assert.deepEqual([(await detail()).screenshot_error, errors], ['the browser failed', [cause]]);

  await recrawl();
  await takeScreenshot(deps, target, never);
  const requests = site.requests.length;
  await takeScreenshot(deps, target, never);
  assert.equal(site.requests.length, requests, 'a repeated attempt finds the screenshot');
  const key = (await em.findOneOrFail(LinkDetails, { fileId }, { refresh: true })).screenshotKey ?? '';
  const kept = await objects.read(key, { maxBytes: 10_000_000 });
  const web = createWebFetch(webFetchConfig.parse({ WEB_FETCH_ALLOWED_NETWORKS: '127.0.0.1' }));
  const robots = { check: async () => undefined };
  const attempt = { signal: never, kept: undefined, keep: () => undefined };
  const preview = () =>
    renderPreview({ em, objects, decoder, web, robots, hosts: createHostSlots() }, target, attempt);
  await objects.remove([key]);
  await preview();
  const lost = await detail();
  assert.deepEqual([lost.screenshot_url, lost.variant_count], [null, 0]);
  // Two late attempts: a newer run begins while the screenshot is taken, or while it is stored.
  const outdate = (generation = 2) => em.nativeUpdate(StoredFile, { id: fileId }, { generation });
  const shownLate = { take: () => outdate().then(() => kept) };
  await assert.rejects(takeScreenshot({ ...deps, screenshots: shownLate }, target, never), {
    name: 'FileGone',
  });
  await outdate(1);
  const storedLate = {
    ...objects,
    put: (...put: Parameters<typeof objects.put>) =>
      objects.put(...put).then(async () => void (await outdate())),
  };
  await takeScreenshot(
    { ...deps, objects: storedLate, screenshots: { take: async () => kept } },
    target,
    never,
  );
  await outdate(1);
  assert.equal(await objects.stat(key), undefined);
  await takeScreenshot({ ...deps, screenshots: { take: async () => kept } }, target, never);
  await preview();
  unanswered.writeHead(404).end();
  const shown = await client.settled(target.fileId);
  assert.deepEqual(
    [shown.screenshot_error, shown.variant_count, shown.dimensions, shown.primary_status],
    [null, 4, { width: 1280, height: 800 }, 'completed'],
  );
  const answer = await fetch(shown.screenshot_url);
  assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'image/jpeg']);
  await answer.body?.cancel();
});
