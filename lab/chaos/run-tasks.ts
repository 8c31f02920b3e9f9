import { setTimeout as delay } from 'node:timers/promises';
import { ConnectionError, type ExportRecord } from '../../sdk/src/index.ts';
import { expectStatus, RequestFailed, type Http, type Json } from '../shared/http.ts';
import { totalOf, type Piece, type Task } from './plan.ts';

const POLL_MS = 1_000;
const SCHEMA = { type: 'object', properties: { total: { type: 'number' } }, required: ['total'] };

/** An extraction or export that is completed. */
export interface TaskEnd {
  kind: 'extraction' | 'export';
  id: string;
}

/**
 * Requests extractions and exports through the client at their points of progress, waits for each, and checks the values of
 * each extraction and the number of records of each export.
 *
 * @param progress  share of the run that is done, 0 to 1
 * @param documents the readable files whose ids are known
 * @param onEnd     called for each task that is completed
 * @param onFailed  called with a line for each other task, and for each incorrect result
 */
export async function runTasks(options: {
  http: Http;
  tasks: readonly Task[];
  progress: () => number;
  documents: ReadonlyMap<string, Piece>;
  onEnd: (end: TaskEnd) => void;
  onFailed: (line: string) => void;
  signal: AbortSignal;
}): Promise<void> {
  const { http, tasks, progress, documents, onEnd, onFailed, signal } = options;
  const { client } = http;

  async function run({ kind, at, pick }: Task): Promise<void> {
    while (progress() < at) await delay(POLL_MS, undefined, { signal });
    try {
      if (kind === 'extraction') await extract(await findDocument(pick));
      else await exportRecords(kind);
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      onFailed(error.message);
    }
  }

  /** A document that is completed; waits until there is one. */
  async function findDocument(pick: number): Promise<string> {
    const path = '/files?media_types=document&status=completed&limit=100';
    for (;;) {
      const list = expectStatus(await http.sendWithRetries('GET', path), 200, 'the list of documents');
      const ids = (list.items as Json[]).map(({ id }) => id as string).filter((id) => documents.has(id));
      const found = ids[Math.floor(pick * ids.length)];
      if (found !== undefined) return found;
      await delay(POLL_MS, undefined, { signal });
    }
  }

  async function extract(fileId: string): Promise<void> {
    const { extraction_id: id, data } = await http.runWithRetries(`an extraction from ${fileId}`, () =>
      client.extract<{ total: number }>(fileId, SCHEMA, { signal }),
    );
    onEnd({ kind: 'extraction', id });
    const piece = documents.get(fileId);
    if (!piece || data.total === totalOf(piece)) return;
    onFailed(`extraction ${id} found the total ${data.total} in ${piece.name}, which has ${totalOf(piece)}`);
  }

  async function exportRecords(kind: 'table' | 'history'): Promise<void> {
    const isTable = kind === 'table';
    const record = await http.runWithRetries(`an export of a ${kind}`, () =>
      isTable
        ? client.exportFiles({ format: 'csv', columns: [{ field_key: 'id' }] }, { signal })
        : client.exportDescriptions({ format: 'jsonl', fields: ['image_id'] }, { signal }),
    );
    onEnd({ kind: 'export', id: record.export_id });
    const lines = await download(record);
    if (isTable) lines.shift();
    const distinct = new Set(lines).size;
    if (lines.length === record.record_count && distinct === lines.length) return;
    onFailed(
      `export ${record.export_id} has ${lines.length} lines, ${distinct} of them distinct, for ${record.record_count} records`,
    );
  }

  /** The lines of an export. */
  async function download({ export_id: id, download_url: url }: ExportRecord): Promise<string[]> {
    if (url === null) throw new RequestFailed(`export ${id} is completed and has no file`);
    return http.runWithRetries(`the download of export ${id}`, async (common) => {
      for (;;) {
        const response = await client.send('GET', url, {
          ...common,
          repeatable: (error) => error instanceof ConnectionError || error.status >= 500,
        });
        // The connection may break within the body.
        const text = await response.text().catch(() => undefined);
        if (text !== undefined) return text.split(/\r?\n/).filter((line) => line !== '');
        await delay(POLL_MS, undefined, { signal });
      }
    });
  }

  await Promise.all(tasks.map(run));
}
