import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../../dev/project-root.ts';
import { makeOrdinaryFile } from '../noisy/ordinary-files.ts';
import { createDice } from '../shared/dice.ts';

/** A web site on loopback. */
export interface WebSite {
  /** The address of the page with this number; every page is different. */
  urlOf: (page: number) => string;
  stop(): Promise<void>;
}

/** Starts a web site of articles with an image, for links. */
export async function startWebSite(seed: number): Promise<WebSite> {
  const image = readFileSync(join(PROJECT_ROOT, 'dev', 'samples', 'coffee.jpg'));
  const server = createServer((request, response) => {
    const page = /^\/page\/(\d+)$/.exec(request.url ?? '')?.[1];
    if (page !== undefined) {
      articleOf(seed, Number(page)).then(
        (html) => response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html),
        () => response.destroy(),
      );
    } else if (request.url === '/image.jpg') {
      response.writeHead(200, { 'content-type': 'image/jpeg' }).end(image);
    } else response.writeHead(404).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    urlOf: (page) => `${origin}/page/${page}`,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function articleOf(seed: number, page: number): Promise<string> {
  const title = `Page ${seed}/${page}`;
  const text = await makeOrdinaryFile('txt', { title, pages: 1 }, createDice(seed + page));
  const paragraphs = text.toString().split('\n\n').slice(1);
  return `<!doctype html><html lang="en"><head><title>${title}</title>
<meta property="og:image" content="/image.jpg"></head>
<body><article><h1>${title}</h1>${paragraphs.map((each) => `<p>${each}</p>`).join('\n')}</article></body></html>`;
}
