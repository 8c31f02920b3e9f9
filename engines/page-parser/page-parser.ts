import type { ParsedPage } from '../../domain/links/web-page.ts';
import { HostEnded } from '../hosts/host.ts';
import { createProcessPool } from '../hosts/process-pool.ts';
import type { PageReply, PageRequest } from './page-process.ts';

/** A page that cannot be parsed, or not within its budget. Not retryable. */
export class UnreadablePage extends Error {
  override readonly name = 'UnreadablePage';
  readonly reason: 'took_too_long' | 'too_large' | 'damaged';

  constructor(reason: UnreadablePage['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** The parser process crashed. Retryable. */
export class PageParserCrashed extends Error {
  override readonly name = 'PageParserCrashed';
}

interface ParserCall {
  /** For fair sharing of the processes. */
  tenantId: string;
  signal: AbortSignal;
}

/**
 * Parses content of sites in child processes with a budget. Each method throws UnreadablePage,
 * PageParserCrashed, or the reason of the signal, which stops the work at once.
 */
export interface PageParser {
  parse(
    page: { bytes: Uint8Array; contentType: string | undefined; url: string },
    call: ParserCall,
  ): Promise<ParsedPage>;
  /** Whether the robots.txt of a site allows this service to fetch a URL. */
  isAllowed(given: { rules: string; robotsUrl: string; url: string }, call: ParserCall): Promise<boolean>;
  close(): Promise<void>;
}

export interface PageParserOptions {
  /** Number of pages parsed concurrently, each in its own process. */
  slots: number;
  budget?: { baseMs: number; msPerByte: number };
}

const MIB = 2 ** 20;
const MODULE = new URL('./page-process.ts', import.meta.url);
/** An article of 100 KB takes 50 ms, one of 10 MB a few seconds; slow cores take three times as long. */
const DEFAULT_BUDGET = { baseMs: 5_000, msPerByte: 0.002 };
const MAX_HEAP_MIB = 768;
const MAX_RSS_BYTES = 1024 * MIB;
const IDLE_RSS_BYTES = 300 * MIB;
const MAX_TASKS = 1_000;

/** Processes start on demand and are reused; one that has died or reached a limit is replaced. */
export function createPageParser({ slots, budget = DEFAULT_BUDGET }: PageParserOptions): PageParser {
  const pool = createProcessPool<PageRequest, PageReply>({
    slots,
    module: MODULE,
    execArgv: [`--max-old-space-size=${MAX_HEAP_MIB}`],
    stderr: 'ignore',
    contained: {},
    maxBytes: MAX_RSS_BYTES,
    maxTasks: MAX_TASKS,
    idleBytes: IDLE_RSS_BYTES,
  });

  async function run(
    request: PageRequest,
    bytes: number,
    { tenantId, signal }: ParserCall,
  ): Promise<PageReply> {
    const cpuMs = budget.baseMs + bytes * budget.msPerByte;
    const reply = await pool
      .run(tenantId, signal, (child, until) => child.run(request, { cpuMs }, until))
      .catch((error: unknown) => {
        throw explainEnd(error);
      });
    if (reply.kind === 'failed')
      throw new UnreadablePage('damaged', 'the markup of the page is broken in a way that cannot be read');
    return reply;
  }

  return {
    async parse(page, call) {
      const reply = await run({ task: 'parse', ...page }, page.bytes.length, call);
      if (reply.kind !== 'page') throw new Error('the reply is not a page');
      return reply.page;
    },
    async isAllowed({ url, ...given }, call) {
      const reply = await run({ task: 'robots', ...given, urls: [url] }, given.rules.length, call);
      return reply.kind === 'robots' && reply.allowed[0] === true;
    },
    close: () => pool.close(new Error('The parser of pages is closed.')),
  };
}

function explainEnd(error: unknown): unknown {
  if (!(error instanceof HostEnded)) return error;
  const { why, exitCode, signal } = error;
  // V8 aborts when its heap is full.
  const heapIsFull = why === 'crash' && (signal === 'SIGABRT' || exitCode === 134);
  if (heapIsFull || why === 'memory')
    return new UnreadablePage('too_large', 'the page takes too much memory to read');
  if (why === 'time') return new UnreadablePage('took_too_long', 'the page takes too long to read');
  return new PageParserCrashed('The process that reads pages ended before its work was done.', {
    cause: error,
  });
}
