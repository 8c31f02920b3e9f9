import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { after, before, test } from 'node:test';
import { chromium, type Browser, type Page } from 'playwright-core';
import { PROJECT_ROOT } from '../../../dev/project-root.ts';
import { sharedRun } from '../../support/api.ts';
import { findChromium } from '../../support/chromium.ts';
import { uniqueImage } from '../../support/images.ts';

/** The client in a browser, as modules without a bundler: any dependency on Node would fail here. */
const run = sharedRun();
const PAGE = `<!doctype html><title>Darkroom</title>
<script type="importmap">{ "imports": { "openapi-fetch": "/openapi-fetch.js" } }</script>
<script type="module">
  window.sdk = await import("/sdk/index.ts");
</script>`;
let browser: Browser;
let page: Page;
const faults: string[] = [];
const server = createServer((request, response) => {
  const { url = '' } = request;
  if (url.startsWith('/api/')) return forward(request, response);
  if (url === '/openapi-fetch.js') {
    response.writeHead(200, { 'content-type': 'text/javascript' });
    return response.end(readFileSync(join(PROJECT_ROOT, 'node_modules/openapi-fetch/dist/index.mjs')));
  }
  const source = join(PROJECT_ROOT, 'sdk/src', basename(url));
  if (url.startsWith('/sdk/') && existsSync(source)) {
    response.writeHead(200, { 'content-type': 'text/javascript' });
    return response.end(stripTypeScriptTypes(readFileSync(source, 'utf8')));
  }
  response.writeHead(url === '/' ? 200 : 404, { 'content-type': 'text/html' });
  return response.end(url === '/' ? PAGE : '');
});

/** Serves the page from the origin of the API, since other origins are refused. */
function forward(request: IncomingMessage, response: ServerResponse): void {
  const { hostname, port } = new URL(run.api_url);
  const { method, url: path, headers } = request;
  const onwards = httpRequest({ hostname, port, method, path, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  onwards.on('error', () => response.destroy());
  request.pipe(onwards);
}

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  browser = await chromium.launch({ ...(await findChromium()), headless: true });
  page = await browser.newPage();
  page.on('pageerror', ({ message }) => faults.push(message));
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  await page.waitForFunction('window.sdk');
});
after(async () => {
  await browser?.close();
  server.closeAllConnections();
  server.close();
});

/** Runs a function in the page, which gets the client and the argument. */
function inPage<T>(work: string, argument: unknown): Promise<T> {
  const given = JSON.stringify({ key: run.api_key, ...(argument as object) });
  return page.evaluate<T>(`(async ({ key, ...given }) => {
    const darkroom = new sdk.Darkroom({ baseUrl: '/api/v2', apiKey: key });
    return (${work})(darkroom, given);
  })(${given})`);
}

test('a page can upload a file, wait for it and read the result', async () => {
  const bytes = [...(await uniqueImage())];
  const result = await inPage<{ status: string; title: string; width: number; progress: unknown[] }>(
    `async (darkroom, { bytes }) => {
      const progress = [];
      const file = new File([new Uint8Array(bytes)], 'from-a-page.png', { type: 'image/png' });
      const { file_id } = await darkroom.upload(file, { onProgress: (each) => progress.push(each) });
      const { primary_status: status, title, dimensions } = await darkroom.wait(file_id);
      return { status, title, width: dimensions.width, progress };
    }`,
    { bytes },
  );
  assert.deepEqual(result, {
    status: 'completed',
    title: 'from-a-page.png',
    width: 60,
    progress: [{ sentBytes: bytes.length, totalBytes: bytes.length }],
  });
  assert.deepEqual(faults, []);
});

test('a page can list and search, and gets errors as classes', async () => {
  const seen = await inPage<{ listed: number; ranked: string; error: unknown[] }>(
    `async (darkroom) => {
      let listed = 0;
      for await (const _file of darkroom.list('/files', { query: { limit: 1 } })) if (++listed === 2) break;
      const { ranked_by: ranked } = await darkroom.search('anything');
      const error = await darkroom.wait(crypto.randomUUID()).catch((e) => e);
      return { listed, ranked, error: [error instanceof sdk.ApiError, error.code] };
    }`,
    {},
  );
  assert.ok(seen.listed > 0);
  assert.match(seen.ranked, /words/);
  assert.deepEqual(seen.error, [true, 'NOT_FOUND']);
});

test('a page can hash a file and send it to the store', async () => {
  const hash = await inPage<string>(
    `async () => {
      const { sha256 } = await import("/sdk/sha256.ts");
      return sha256(new Blob(['abc']));
    }`,
    {},
  );
  assert.equal(hash, 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});
