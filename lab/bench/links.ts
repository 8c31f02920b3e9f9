import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { createLocalTextEmbedding } from '../../adapters/models/text-embedding/local-text-embedding.ts';
import { countTokens } from '../../engines/text-work/count-tokens.ts';
import { parsePage } from '../../engines/page-parser/parse-page.ts';
import { chunkPages } from '../../domain/documents/chunking.ts';
import { Darkroom } from '../../sdk/src/index.ts';
import { stopWorkers, WORKERS } from './bench-stack.ts';
import type { BenchContext } from './context.ts';
import { readHandbooks } from './sentences.ts';
import { goalResult, interleave, milliseconds, ratios, spread } from './statistics.ts';

const LINKS = 40;
const PARAGRAPHS = 12;
const SENTENCES = 3;
const POLL_MS = 100;

/**
 * K1: a batch of 40 links without descriptions, from the request to the end of their session, compared with fetching
 * and parsing pages of the same site sequentially in this process, and with a loop that also chunks and embeds their
 * text, as the service does.
 */
export async function run({ rounds, stack: startStack, progress }: BenchContext): Promise<string[]> {
  const stack = await startStack();
  const texts = await readHandbooks();
  const embedding = createLocalTextEmbedding();
  const site = createServer((request, response) => {
    if (request.url === '/robots.txt') return void response.writeHead(404).end();
    response
      .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
      .end(pageOf(request.url ?? '', texts));
  });
  site.listen(0, '127.0.0.1');
  await once(site, 'listening');
  const { port } = site.address() as AddressInfo;
  const { signal } = new AbortController();
  let turn = 0;
  const newUrls = () => {
    turn += 1;
    return Array.from({ length: LINKS }, (_, at) => `http://127.0.0.1:${port}/${turn}/${at}`);
  };
  for (const name of WORKERS) await stack.start(name);
  const darkroom = new Darkroom({ baseUrl: stack.runInfo.api_url, apiKey: stack.runInfo.api_key });
  try {
    const turns = await interleave(
      rounds,
      {
        links: () => milliseconds(() => addLinks(darkroom, newUrls())),
        plain: () => milliseconds(() => fetchAndParse(newUrls())),
        indexed: () =>
          milliseconds(() =>
            fetchAndParse(
              newUrls(),
              async (chunks) => void (await embedding.embed(chunks, { role: 'passage', signal })),
            ),
          ),
      },
      progress,
    );
    const rate = (times: number[]) => times.map((ms) => (LINKS * 1000) / ms);
    const ratio = ratios(turns.plain, turns.links);
    const whole = ratios(turns.indexed, turns.links);
    return [
      `K1 ${LINKS} links, links per second / plain fetch and parse of the same pages: ${spread(ratio, 2)}, ${goalResult(ratio, { least: 0.6 })}`,
      `K1 … / plain fetch, parse, chunks and embeddings: ${spread(whole, 2)}`,
      `K1 … links ${spread(rate(turns.links), 1)} per second, plain ${spread(rate(turns.plain), 1)}, with embeddings ${spread(rate(turns.indexed), 1)}`,
    ];
  } finally {
    await stopWorkers(stack);
    await embedding.close();
    site.close();
    site.closeAllConnections();
  }
}

/** An article of human-written sentences, different for each path. */
function pageOf(path: string, texts: readonly string[]): string {
  const first = Number(path.split('/').at(-1)) * PARAGRAPHS * SENTENCES;
  const paragraphs = Array.from({ length: PARAGRAPHS }, (_, at) => {
    const sentences = Array.from(
      { length: SENTENCES },
      (_empty, next) => texts[(first + at * SENTENCES + next) % texts.length],
    );
    return `<p>${sentences.join(' ').replaceAll('<', '&lt;')}</p>`;
  });
  return `<!doctype html><html lang="en"><head><title>Page ${path}</title></head><body>
    <nav><a href="/">Home</a></nav><article><h1>Page ${path}</h1>${paragraphs.join('\n')}</article></body></html>`;
}

async function addLinks({ api }: Darkroom, urls: readonly string[]): Promise<void> {
  const links = urls.map((url) => ({ url }));
  const { data } = await api.POST('/files/links/batch', { body: { links, auto_describe: false } });
  const path = { session_id: data.session_id };
  for (;;) {
    const { data: session } = await api.GET('/files/sessions/{session_id}/status', { params: { path } });
    if (session.failed_files > 0) throw new Error('a link failed');
    if (session.status === 'completed') return;
    await delay(POLL_MS);
  }
}

async function fetchAndParse(
  urls: readonly string[],
  index: (chunks: string[]) => Promise<void> = async () => undefined,
): Promise<void> {
  for (const url of urls) {
    const response = await globalThis.fetch(url);
    const bytes = new Uint8Array(await response.arrayBuffer());
    const { elements } = parsePage(bytes, response.headers.get('content-type') ?? undefined, url);
    if (elements.length < PARAGRAPHS) throw new Error('the page was not read');
    const chunks = chunkPages([{ pageNumber: 1, source: 'document', elements }], countTokens);
    await index(chunks.map(({ content }) => content));
  }
}
