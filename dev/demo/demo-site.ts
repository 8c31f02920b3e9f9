import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../project-root.ts';

/** A one-page website, which the demo adds as a link. */
export interface DemoSite {
  pageUrl: string;
  stop(): Promise<void>;
}

/** A loopback address that no other server uses, so that allowing it for links exposes nothing else. */
export const DEMO_ADDRESS = '127.0.0.2';

const PAGE = '/harbour-museum.html';
const FILES: Readonly<Record<string, { path: string; contentType: string }>> = {
  [PAGE]: { path: 'dev/demo/harbour-museum.html', contentType: 'text/html; charset=utf-8' },
  '/rocket.jpg': { path: 'dev/samples/rocket.jpg', contentType: 'image/jpeg' },
};

/** Starts the site. @returns undefined on systems without DEMO_ADDRESS */
export async function startDemoSite(): Promise<DemoSite | undefined> {
  const server = createServer((request, response) => {
    const file = FILES[request.url ?? ''];
    if (!file) return void response.writeHead(404).end();
    readFile(join(PROJECT_ROOT, file.path)).then(
      (bytes) => response.writeHead(200, { 'content-type': file.contentType }).end(bytes),
      () => response.destroy(),
    );
  });
  try {
    server.listen(0, DEMO_ADDRESS);
    await once(server, 'listening');
  } catch {
    return undefined;
  }
  const { port } = server.address() as AddressInfo;
  return {
    pageUrl: `http://${DEMO_ADDRESS}:${port}${PAGE}`,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
