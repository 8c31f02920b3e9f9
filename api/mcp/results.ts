import type { CallToolResult, ContentBlock, ResourceLink } from '@modelcontextprotocol/server';
import { renderError } from '../http/problem.ts';
import type { OperationAnswer } from './call-operation.ts';
import { pageUri } from './resources.ts';
import type { Tool } from './tools.ts';

/** About 15,000 tokens: clients refuse results of more than 25,000. */
const MAX_TEXT = 60_000;
const MAX_LINKS = 20;

type Fields = Readonly<Record<string, unknown>>;

/** Converts the answer of an operation to a tool result, with links to the pages that it cites. */
export function toResult({ entries = [], drops }: Tool, answer: unknown): CallToolResult {
  const given = answer as Fields;
  const lean = (fields: Fields): Fields =>
    Object.fromEntries(
      Object.entries(fields)
        .filter(([name, value]) => value !== null && !drops.includes(name))
        .map(([name, value]) => [
          name,
          entries.includes(name) && Array.isArray(value) ? (value as Fields[]).map(lean) : value,
        ]),
    );
  const listed = entries.flatMap((name) => (given[name] as Fields[] | undefined) ?? []);
  return { content: [textContent(JSON.stringify(lean(given))), ...linksOf(listed)] };
}

/** Cuts a text to a bounded length and marks the cut. */
export function boundedText(text: string): string {
  if (text.length <= MAX_TEXT) return text;
  const left = text.length - MAX_TEXT;
  return `${text.slice(0, MAX_TEXT).toWellFormed()}\n[cut here: ${left} more characters; ask for less at once]`;
}

/**
 * Converts a refusal to a tool result that helps an agent to recover: code, reason, invalid fields, seconds
 * to wait.
 */
export function toRefusal({ body, retryAfterSeconds }: Omit<OperationAnswer, 'status'>): CallToolResult {
  const wait = retryAfterSeconds !== undefined && { retry_after_seconds: retryAfterSeconds };
  return { isError: true, content: [textContent(JSON.stringify({ ...(body as object), ...wait }))] };
}

/** Converts a thrown error in the same way. */
export function toFailure(error: unknown, requestId: string): CallToolResult {
  const { body, headers } = renderError(error, requestId);
  const wait = headers['Retry-After'];
  return toRefusal({ body, retryAfterSeconds: wait === undefined ? undefined : Number(wait) });
}

function textContent(text: string): ContentBlock {
  return { type: 'text', text: boundedText(text) };
}

/** Links to the first page of each passage. */
function linksOf(passages: readonly Fields[]): ResourceLink[] {
  const links = passages.flatMap(({ document_id: id, document_filename: name, page_numbers: pages }) => {
    const [page] = (pages as number[] | undefined) ?? [];
    if (page === undefined) return [];
    const uri = pageUri(String(id), page);
    const link = { type: 'resource_link' as const, uri, name: `${String(name)}, page ${page}` };
    return [[uri, { ...link, mimeType: 'text/markdown' }] as const];
  });
  return [...new Map(links).values()].slice(0, MAX_LINKS);
}
