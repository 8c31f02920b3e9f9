import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ApiError, type Darkroom, type Data, type Entry } from '../../sdk/src/index.ts';
import type { Journal, OpenEntry } from './journal.ts';
import type { Tally } from './tally.ts';

type OpenSession = Extract<OpenEntry, { type: 'session' }>;
type OpenFile = Extract<OpenEntry, { type: 'file' }>;

/** Sessions end roughly in the order in which they began, so polling the oldest ones is enough. */
const POLLED_SESSIONS = 3;
const IDS_A_PAGE = 100;
const RESULTS_A_PAGE = 500;
/** Frequent at first, then within the API's request rate. */
const POLL = { firstMs: 300, growth: 1.4, mostMs: 5000 };
const WORKING = new Set(['pending', 'uploading', 'processing']);

export interface Following {
  client: Darkroom;
  journal: Journal;
  tally: Tally;
  signal: AbortSignal;
  /** Called with the number of files that have ended. */
  onProgress: (files: number) => void;
}

type Session = Data<'/files/sessions/{session_id}/status', 'get'>;
type Result = Entry<'/files/sessions/{session_id}/results'>;

/** Files whose processing is pending, from this run and from earlier ones. */
export function openWork(journal: Journal): { sessions: OpenSession[]; files: OpenFile[]; total: number } {
  const open = [...journal.open.values()];
  const sessions = open.filter((entry) => entry.type === 'session');
  const files = open.filter((entry) => entry.type === 'file');
  const inSessions = sessions.reduce((sum, { paths, rejected }) => sum + paths.length - rejected, 0);
  return { sessions, files, total: inSessions + files.length };
}

/** Waits until everything sent is processed, and records failures in the tally. */
export async function waitUntilProcessed(following: Following): Promise<void> {
  const { journal, signal, onProgress } = following;
  const { total } = openWork(journal);
  for (let pause = POLL.firstMs; ; pause = Math.min(pause * POLL.growth, POLL.mostMs)) {
    const { sessions, files } = openWork(journal);
    let ended = 0;
    for (const session of sessions.slice(0, POLLED_SESSIONS)) ended += await pollSession(following, session);
    for (let from = 0; from < files.length; from += IDS_A_PAGE) {
      await pollFiles(following, files.slice(from, from + IDS_A_PAGE));
    }
    const left = openWork(journal).total;
    onProgress(Math.min(total, total - left + ended));
    if (left === 0) return;
    await delay(pause, undefined, { signal });
  }
}

/** Returns the number of finished files of a session that is still open. */
async function pollSession(following: Following, open: OpenSession): Promise<number> {
  const { client, journal, tally } = following;
  const path = { session_id: open.id };
  let session: Session;
  try {
    session = (await client.api.GET('/files/sessions/{session_id}/status', { params: { path } })).data;
  } catch (error) {
    if (!isAbsent(error)) throw error;
    await journal.append({ type: 'closed', key: open.key });
    return 0;
  }
  if (WORKING.has(session.status)) {
    return Math.max(
      0,
      session.completed_files + session.failed_files + session.skipped_files - open.rejected,
    );
  }
  const results: Result[] = [];
  const query = { limit: RESULTS_A_PAGE };
  for await (const result of client.list('/files/sessions/{session_id}/results', { path, query })) {
    results.push(result);
  }
  for (const [file, result] of matched(open.paths, results, session.total_files)) {
    if (result?.file_id && result.error_message !== null)
      await recordFailure(following, file, result.file_id);
    if (!result && session.status === 'cancelled') {
      tally.failed(file, { where: 'processing', code: 'CANCELLED', message: 'the session was cancelled' });
    }
  }
  await journal.append({ type: 'closed', key: open.key });
  return 0;
}

/** Results are in the order in which the files were sent; a cancelled session lacks some. */
function matched(paths: string[], results: Result[], total: number): [string, Result | undefined][] {
  if (results.length === paths.length && total === paths.length) {
    return paths.map((path, index) => [path, results[index]]);
  }
  const left = [...results];
  return paths.map((path) => {
    const at = left.findIndex(({ filename }) => filename === basename(path));
    return [path, at === -1 ? undefined : left.splice(0, at + 1).at(-1)];
  });
}

async function pollFiles(following: Following, open: OpenFile[]): Promise<void> {
  const query = { limit: IDS_A_PAGE, ids: open.map(({ id }) => id) };
  const { data } = await following.client.api.GET('/files', { params: { query } });
  for (const { key, id, path } of open) {
    const status = data.items.find((item) => item.id === id)?.primary_status;
    if (status !== undefined && WORKING.has(status)) continue;
    if (status === 'failed' || status === 'partially_completed') await recordFailure(following, path, id);
    await following.journal.append({ type: 'closed', key });
  }
}

/** Error codes are only in the timeline. */
async function recordFailure({ client, tally }: Following, path: string, fileId: string): Promise<void> {
  let timeline: Data<'/files/{file_id}/timeline', 'get'>;
  try {
    const params = { path: { file_id: fileId } };
    timeline = (await client.api.GET('/files/{file_id}/timeline', { params })).data;
  } catch (error) {
    // The file has been deleted since.
    if (isAbsent(error)) return;
    throw error;
  }
  const components = Object.entries(timeline.components);
  const [where, component] =
    components.find(([, { status }]) => status === 'failed') ??
    components.find(([, { error }]) => error !== null) ??
    [];
  const { code = 'CANCELLED', message = 'processing was cancelled' } = component?.error ?? {};
  tally.failed(path, { where: where ?? 'processing', code, message });
}

function isAbsent(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}
