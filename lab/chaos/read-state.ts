import { expectStatus, type Http, type Json } from '../shared/http.ts';
import type { ListedFile } from './verdict.ts';

const PAGE = 100;
/** Statuses of upload sessions that have not ended. */
export const OPEN_SESSIONS = ['pending', 'uploading', 'processing'];

const OPEN_FILES = 'status=pending&status=processing';

/** Every file of the account. Uses the list, because reading a single file also reconciles it. */
export function listFiles(http: Http): Promise<ListedFile[]> {
  return list(http, '');
}

/** The files of the account that have not ended, oldest first. */
export function listOpenFiles(http: Http): Promise<ListedFile[]> {
  return list(http, `&${OPEN_FILES}`);
}

/** The number of files of the account, and of those that have not ended. */
export async function countFiles(http: Http): Promise<{ stored: number; open: number }> {
  const count = async (filter: string) => {
    const page = await http.sendWithRetries('GET', `/files?limit=1${filter}`);
    return expectStatus(page, 200, 'the list of files').total_count as number;
  };
  // Stored files first, so that one that is added in between does not count as ended.
  const stored = await count('');
  return { stored, open: await count(`&${OPEN_FILES}`) };
}

async function list(http: Http, filter: string): Promise<ListedFile[]> {
  const files: ListedFile[] = [];
  for (let cursor = ''; ;) {
    const path = `/files?limit=${PAGE}&sort_by=created_at&sort_order=asc${filter}${cursor}`;
    const page = expectStatus(await http.sendWithRetries('GET', path), 200, 'the list of files');
    for (const { id, primary_status: primaryStatus } of page.items as Json[])
      files.push({ id, primaryStatus });
    if (!page.next_cursor) return files;
    cursor = `&cursor=${encodeURIComponent(page.next_cursor as string)}`;
  }
}

/** The status of a file and the explanation of the API. */
export async function explainFile(http: Http, id: string): Promise<string> {
  const { body } = await http.once('GET', `/files/${id}/timeline`);
  return `${body?.primary_status}: ${body?.explanation}`;
}

/** The number of upload sessions that have not ended. */
export async function countOpenSessions(http: Http): Promise<number> {
  let open = 0;
  for (const status of OPEN_SESSIONS) {
    const list = await http.sendWithRetries('GET', `/files/sessions?status=${status}&limit=1`);
    open += expectStatus(list, 200, 'the list of sessions').total_count as number;
  }
  return open;
}

/** An upload session of the account. */
export interface ListedSession {
  id: string;
  status: string;
}

/** Every upload session of the account. */
export async function listSessions(http: Http): Promise<ListedSession[]> {
  const sessions: ListedSession[] = [];
  for (;;) {
    const page = await http.sendWithRetries('GET', `/files/sessions?limit=${PAGE}&offset=${sessions.length}`);
    const { items, has_more: more } = expectStatus(page, 200, 'the list of sessions');
    for (const { session_id: id, status } of items as Json[]) sessions.push({ id, status });
    if (!more) return sessions;
  }
}

/** File counts by status. */
export function tally(files: readonly ListedFile[]): Record<string, number> {
  const byStatus = Map.groupBy(files, ({ primaryStatus }) => primaryStatus);
  return Object.fromEntries([...byStatus].map(([status, { length }]) => [status, length]));
}
