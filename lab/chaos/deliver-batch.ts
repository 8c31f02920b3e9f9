import { setTimeout as delay } from 'node:timers/promises';
import type { Content } from './contents.ts';
import { RequestFailed, isTemporary, expectStatus, type Http, type Json } from '../shared/http.ts';
import { ConnectionError } from '../../sdk/src/index.ts';

const PAGE = 100;
/** Of requests of the client and of files that were rejected temporarily. */
const CLIENT_RETRIES = 20;
const ENDED_WITHIN_MS = 300_000;
const PAUSE_MS = 1_000;
/** Codes of a retry whose file an earlier request has already restarted. */
const RETRIED_BEFORE = ['WORK_IN_PROGRESS', 'NOTHING_TO_RETRY'];

/** A file with a name that is unique in the run. */
interface Named {
  name: string;
}

export interface Batches<P extends Named> {
  /**
   * Sends files in one request. It must not overlap with other requests that open upload sessions, so that a session whose
   * id was lost with its response can be identified. Reports files that were rejected permanently.
   *
   * @returns the number of files acknowledged by the response; `collect` returns the outcome of all files
   * @throws RequestFailed if the whole request was refused
   */
  send(pieces: P[], fieldsFirst: boolean): Promise<number>;
  /**
   * Sends files with `uploadMany` of the client, which resends them if a response is lost. Reports refused files.
   *
   * @returns the id of each other file, by its name
   */
  sendByClient(pieces: P[]): Promise<Map<string, string>>;
  /**
   * Waits until the files of all sessions have ended, and resends missing files until none is missing. Cancels sessions
   * that requests of the client have left open. Retries files that the cancellation of a session has stopped. Reports
   * refused files and does not resend them.
   *
   * @returns the id of each file of `send`, by its name
   */
  collect(): Promise<Map<string, string>>;
}

interface Sent<P> {
  sessionId: string;
  pieces: P[];
  /** Whether the API has acknowledged these files. */
  answered: boolean;
}

/**
 * Batch uploads by a well-behaved client. They have no idempotency key. If a response is lost, the session that the
 * request opened is the newest one unknown to the client; files in its results have arrived, the others are resent.
 */
export function createBatches<P extends Named>(options: {
  http: Http;
  contentOf: (piece: P) => Promise<Content>;
  onRefused: (refused: RequestFailed) => void;
  signal: AbortSignal;
}): Batches<P> {
  const { http, contentOf, onRefused, signal } = options;
  const sent: Sent<P>[] = [];
  const known = new Set<string>();
  /** Files that are not in any session. */
  const unsent: P[] = [];
  /** Ids of files that existed before they were sent. */
  const existing = new Set<string>();
  let isClientUsed = false;

  async function send(pieces: P[], fieldsFirst: boolean): Promise<number> {
    const form = new FormData();
    const fields = () => form.append('skip_duplicates', 'true');
    if (fieldsFirst) fields();
    for (const piece of pieces) form.append('files', new Blob([(await contentOf(piece)).bytes]), piece.name);
    if (!fieldsFirst) fields();
    try {
      const answer = await http.once('POST', '/files/upload/batch', { body: form });
      if (!isTemporary(answer)) {
        const { session_id: sessionId, rejections } = expectStatus(answer, 201, 'a batch');
        const rejected = new Map((rejections as Json[]).map((each) => [each.filename, each]));
        const accepted = pieces.filter(({ name }) => !rejected.has(name));
        remember({ sessionId, pieces: accepted, answered: true });
        for (const piece of pieces) {
          const { reason, retryable } = rejected.get(piece.name) ?? {};
          if (retryable) unsent.push(piece);
          // All files of a run are valid, so a permanent rejection is a breach.
          else if (reason !== undefined)
            onRefused(new RequestFailed(`${piece.name} was rejected: ${reason}`));
        }
        return accepted.length;
      }
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
    }
    const sessionId = await unknownSession();
    if (sessionId) remember({ sessionId, pieces, answered: false });
    else unsent.push(...pieces);
    return 0;
  }

  async function sendByClient(pieces: P[]): Promise<Map<string, string>> {
    isClientUsed = true;
    const ids = new Map<string, string>();
    const name = `the upload of ${pieces.length} files by the client`;
    await http.runWithRetries(name, async (common) => {
      const options = {
        ...common,
        retries: CLIENT_RETRIES,
        skip_duplicates: true,
        directOverBytes: Infinity,
      };
      for await (const end of http.client.uploadMany(filesOf(pieces), options)) {
        if (end.error) onRefused(new RequestFailed(`${end.filename}: ${end.error.message}`));
        else {
          ids.set(end.filename, end.uploaded.file_id);
          if (end.uploaded.skipped) existing.add(end.uploaded.file_id);
        }
      }
    });
    return ids;
  }

  async function* filesOf(pieces: P[]): AsyncGenerator<File> {
    for (const piece of pieces) yield new File([(await contentOf(piece)).bytes], piece.name);
  }

  async function reported<R>(work: Promise<R>): Promise<R | undefined> {
    try {
      return await work;
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      onRefused(error);
      return undefined;
    }
  }

  function remember(session: Sent<P>): void {
    known.add(session.sessionId);
    sent.push(session);
  }

  async function unknownSession(): Promise<string | undefined> {
    return (await sessions('limit=20')).find((id) => !known.has(id));
  }

  /** Sessions of uploads through the API, newest first. */
  async function sessions(query: string): Promise<string[]> {
    const list = await http.sendWithRetries('GET', `/files/sessions?upload_method=streaming&${query}`);
    return (expectStatus(list, 200, 'the list of sessions').items as Json[]).map((item) => item.session_id);
  }

  /** Sessions of requests of the client whose response was lost. */
  async function rememberInterrupted(): Promise<void> {
    for (const status of ['pending', 'uploading']) {
      const open = await sessions(`status=${status}&limit=${PAGE}`);
      for (const sessionId of open.filter((id) => !known.has(id)))
        remember({ sessionId, pieces: [], answered: false });
    }
  }

  /**
   * File ids of a session by name. An interrupted session would stay open for half an hour, so it is cancelled. That
   * may stop files that arrive in between, because the API may still be processing buffered data of the broken
   * request.
   */
  async function settle({ sessionId, pieces, answered }: Sent<P>): Promise<Map<string, string>> {
    const path = `/files/sessions/${sessionId}`;
    const deadline = Date.now() + ENDED_WITHIN_MS;
    for (;;) {
      const summary = await http.sendWithRetries('GET', `${path}/summary`);
      const { counts, overall_status: status } = expectStatus(summary, 200, 'the summary of a session');
      const open = ['pending', 'uploading', 'processing'].includes(status);
      const inProgress = counts.queued + counts.processing + counts.confirming > 0;
      // An interrupted session receives no more files, because its connection is closed.
      if (!open || (!answered && !inProgress)) {
        const found = await results(path);
        if (!open || (await cancel(path))) return found;
      }
      if (Date.now() > deadline) {
        throw new RequestFailed(
          `session ${sessionId} of ${pieces.length} files is still ${status}: ${JSON.stringify(counts)}`,
        );
      }
      await delay(PAUSE_MS, undefined, { signal });
    }
  }

  /** @returns false if the session had ended, possibly by an earlier request whose response was lost */
  async function cancel(path: string): Promise<boolean> {
    const answer = await http.sendWithRetries('POST', `${path}/cancel`);
    if (answer.body?.code === 'UPLOAD_SESSION_ENDED') return false;
    expectStatus(answer, 200, 'the cancellation of a session');
    return true;
  }

  async function results(path: string): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    for (let offset = 0; ; offset += PAGE) {
      const page = await http.sendWithRetries('GET', `${path}/results?limit=${PAGE}&offset=${offset}`);
      const { results, has_more: more } = expectStatus(page, 200, 'the results of a session');
      for (const { filename, file_id: id, status } of results as Json[]) {
        if (!id) continue;
        found.set(filename, id);
        if (status === 'skipped') existing.add(id);
      }
      if (!more) return found;
    }
  }

  /** Retries a file that a cancellation has stopped: resending it found the existing file and did not restart it. */
  async function restartIfStopped(id: string): Promise<void> {
    const deadline = Date.now() + ENDED_WITHIN_MS;
    for (;;) {
      const timeline = await http.sendWithRetries('GET', `/files/${id}/timeline`);
      const body: Json = expectStatus(timeline, 200, 'the timeline of a file');
      const { primary_status: status, components } = body;
      if (!['pending', 'processing'].includes(status)) {
        const hasFailed = Object.values<Json>(components).some((component) => component.status === 'failed');
        if (status !== 'failed' || hasFailed) return;
        const answer = await http.sendWithRetries('POST', `/files/${id}/retry`);
        // An earlier request, whose response was lost, may have restarted the file.
        if (!RETRIED_BEFORE.includes(answer.body?.code)) expectStatus(answer, 202, 'the retry of a file');
        return;
      }
      if (Date.now() > deadline) throw new RequestFailed(`file ${id} is still ${status}`);
      await delay(PAUSE_MS, undefined, { signal });
    }
  }

  async function collect(): Promise<Map<string, string>> {
    const ids = new Map<string, string>();
    if (isClientUsed) await reported(rememberInterrupted());
    while (sent.length > 0 || unsent.length > 0) {
      for (const session of sent.splice(0)) {
        const name = `the results of session ${session.sessionId} of ${session.pieces.length} files`;
        const found = await reported(http.track(name, () => settle(session)));
        for (const piece of found ? session.pieces : []) {
          const id = found?.get(piece.name);
          if (id) ids.set(piece.name, id);
          // Acknowledged but missing: a breach to report, not to repair.
          else if (!session.answered) unsent.push(piece);
        }
      }
      if (unsent.length > 0) await delay(PAUSE_MS, undefined, { signal });
      const again = unsent.splice(0);
      if (again.length > 0) await reported(send(again, true));
    }
    for (const id of existing) await reported(restartIfStopped(id));
    return ids;
  }
  return { send, sendByClient, collect };
}
