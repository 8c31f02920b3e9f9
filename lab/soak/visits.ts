import type { Dice } from '../shared/dice.ts';
import { expectStatus, json, RequestFailed, type Http } from '../shared/http.ts';
import {
  deliverBatch,
  deliverDirect,
  deliverSingle,
  followByEvents,
  followBySocket,
  readSession,
  untilEnded,
} from './deliver.ts';
import type { Upload } from './uploads.ts';

const BATCH = 6;
/** The upload methods of successive visits, in turn. */
const WAYS = ['single', 'single', 'single', 'direct', 'batch'] as const;
/** The average number of files per visit. */
export const FILES_A_VISIT = (3 + 1 + BATCH) / WAYS.length;
const WORDS = ['rocket', 'chelsae', 'photograph', 'light grey', '"large format"', 'auto refresh', 'oak'];
const QUESTIONS = [
  'How long is the warranty?',
  'What is the rent?',
  'Who paid the receipt?',
  'What is a lease?',
];
const PARTS_OF_AN_IMAGE = ['variant/small_256', 'similar'];
const PARTS_OF_A_DOCUMENT = ['chunks', 'digitization'];
/** Files to keep: enough for lists and searches, while the data does not grow. */
const KEPT = 200;
const DELETED_AT_ONCE = 20;

export interface Visitor {
  /**
   * Sends files, follows them until they have ended, reads and changes them, and deletes as many old ones. @returns the
   * number of files sent
   */
  visit(): Promise<number>;
}

/** Simulates the clients of a service. Visits may run concurrently. */
export function createVisitor(options: {
  http: Http;
  apiUrl: string;
  apiKey: string;
  nextUpload: () => Upload;
  dice: Dice;
  signal: AbortSignal;
}): Visitor {
  const { http, nextUpload, dice, signal } = options;
  const kept: string[] = [];
  let visits = 0;
  const get = async (path: string) =>
    expectStatus(await http.sendWithRetries('GET', path), 200, `GET ${path}`);

  async function send(): Promise<string[]> {
    const way = WAYS[visits % WAYS.length];
    visits += 1;
    if (way === 'batch') {
      const sessionId = await deliverBatch(http, Array.from({ length: BATCH }, nextUpload));
      const follow = dice.fraction() < 0.5 ? followByEvents : followBySocket;
      await follow({ ...options, sessionId });
      return readSession(http, sessionId, BATCH);
    }
    const deliver = way === 'single' ? deliverSingle : deliverDirect;
    const id = await deliver(http, nextUpload());
    await untilEnded(http, id, signal);
    return [id];
  }

  async function read(id: string): Promise<void> {
    const { primary_status: status, media_type: medium, explanation } = await get(`/files/${id}`);
    if (status !== 'completed') throw new RequestFailed(`${medium} ${id} is ${status}: ${explanation}`);
    for (const part of medium === 'document' ? PARTS_OF_A_DOCUMENT : PARTS_OF_AN_IMAGE)
      await get(`/files/${id}/${part}`);
    await get(`/files/${id}/timeline`);
    await get(`/files/${id}/processing-status`);
  }

  async function change(id: string): Promise<void> {
    const change = json({ title: `Soak ${dice.whole(1, 999)}`, user_description: 'As seen in a soak.' });
    expectStatus(await http.sendWithRetries('PATCH', `/files/${id}`, change), 200, 'a change');
  }

  /** Deletes the oldest files, two of them individually, the others in one request. */
  async function deleteSurplus(): Promise<void> {
    if (kept.length < KEPT + DELETED_AT_ONCE) return;
    const [first, second, ...others] = kept.splice(0, DELETED_AT_ONCE);
    for (const id of [first, second])
      expectStatus(await http.sendWithRetries('DELETE', `/files/${id}`), 200, 'a deletion');
    const { summary } = expectStatus(
      await http.sendWithRetries('POST', '/files/batch-delete', json({ file_ids: others })),
      200,
      'a deletion of many',
    );
    if (summary.failed > 0) throw new RequestFailed(`${summary.failed} files could not be deleted`);
  }

  return {
    async visit() {
      const ids = await send();
      kept.push(...ids);
      for (const id of ids) await read(id);
      await change(dice.pick(ids));
      await get(`/files?limit=20&sort_by=size_bytes`);
      await get(`/files?search=${encodeURIComponent(dice.pick(WORDS))}`);
      const question = json({ query: dice.pick(QUESTIONS) });
      expectStatus(
        await http.sendWithRetries('POST', '/files/search', question),
        200,
        'a search of documents',
      );
      await get('/files/sessions?limit=20');
      await get('/files/quota-check?file_count=5');
      await deleteSurplus();
      return ids.length;
    },
  };
}
