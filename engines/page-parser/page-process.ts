/** Entry module of the child process that parses pages and robots.txt files. */
import robotsParserModule from 'robots-parser';
import type { ParsedPage } from '../../domain/links/web-page.ts';
import { USER_AGENT } from '../../domain/links/user-agent.ts';
import { parsePage } from './parse-page.ts';

/** The types declare a default export, but the function is the module itself. */
const robotsParser = robotsParserModule as unknown as (
  url: string,
  rules: string,
) => { isAllowed(url: string, agent: string): boolean | undefined };

export type PageRequest =
  | { task: 'parse'; bytes: Uint8Array; contentType: string | undefined; url: string }
  | { task: 'robots'; rules: string; robotsUrl: string; urls: readonly string[] };

export type PageReply =
  | { kind: 'page'; page: ParsedPage }
  | { kind: 'robots'; allowed: boolean[] }
  | { kind: 'failed'; message: string };

export function handle(request: PageRequest): PageReply {
  try {
    if (request.task === 'parse') {
      return { kind: 'page', page: parsePage(request.bytes, request.contentType, request.url) };
    }
    const robots = robotsParser(request.robotsUrl, request.rules);
    const allowed = request.urls.map((url) => robots.isAllowed(url, USER_AGENT.product) !== false);
    return { kind: 'robots', allowed };
  } catch (error) {
    return { kind: 'failed', message: error instanceof Error ? error.message : String(error) };
  }
}
