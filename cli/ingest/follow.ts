import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Api } from '../../client/api.ts';
import { ApiProblem } from '../../client/api-problem.ts';
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
  api: Api;
  journal: Journal;
  tally: Tally;
  signal: AbortSignal;
  /** Called with the number of files that have ended. */
  onProgress: (files: number) => void;
}

interface Session {
  status: string;
  total_files: number;
  completed_files: number;
  failed_files: number;
  skipped_files: number;
}
interface Result {
  file_id: string | null;
  filename: string;
  error_message: string | null;
}
interface Timeline {
  components: Record<string, { status: string; error: { code: string; message: string } | null }>;
}

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

/** Returns how many files of an open session have ended. */
async function pollSession(following: Following, open: OpenSession): Promise<number> {
  const { api, journal, tally } = following;
  const path = `/files/sessions/${open.id}`;
  let session: Session;
  try {
    session = (await api.call<Session>('GET', `${path}/status`)).body;
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
  const results = await readResults(api, path);
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

async function readResults(api: Api, path: string): Promise<Result[]> {
  const all: Result[] = [];
  for (;;) {
    const query = `limit=${RESULTS_A_PAGE}&offset=${all.length}`;
    const { results, has_more } = (
      await api.call<{ results: Result[]; has_more: boolean }>('GET', `${path}/results?${query}`)
    ).body;
    all.push(...results);
    if (!has_more || results.length === 0) return all;
  }
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
  const ids = open.map(({ id }) => `ids=${id}`).join('&');
  const { body } = await following.api.call<{ items: { id: string; primary_status: string }[] }>(
    'GET',
    `/files?limit=${IDS_A_PAGE}&${ids}`,
  );
  for (const { key, id, path } of open) {
    const status = body.items.find((item) => item.id === id)?.primary_status;
    if (status !== undefined && WORKING.has(status)) continue;
    if (status === 'failed' || status === 'partially_completed') await recordFailure(following, path, id);
    await following.journal.append({ type: 'closed', key });
  }
}

/** Error codes are only in the timeline. */
async function recordFailure({ api, tally }: Following, path: string, fileId: string): Promise<void> {
  let timeline: Timeline;
  try {
    timeline = (await api.call<Timeline>('GET', `/files/${fileId}/timeline`)).body;
  } catch (error) {
    // Deleted in the meantime.
    if (isAbsent(error)) return;
    throw error;
  }
  const components = Object.entries(timeline.components);
  const [where, component] =
    components.find(([, { status }]) => status === 'failed') ??
    components.find(([, { error }]) => error !== null) ??
    [];
  const { code = 'CANCELLED', message = 'the work was cut short' } = component?.error ?? {};
  tally.failed(path, { where: where ?? 'processing', code, message });
}

function isAbsent(error: unknown): boolean {
  return error instanceof ApiProblem && error.status === 404;
}
