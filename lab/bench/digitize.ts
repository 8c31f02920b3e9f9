import { setTimeout as delay } from 'node:timers/promises';
import type { Orm } from '../../db/create-orm.ts';
import type { Stack } from '../../dev/launcher/stack.ts';
import type { Engine } from '../../temporal/client.ts';
import { stopWorkers, WORKERS } from './bench-stack.ts';
import { Darkroom } from '../../sdk/src/index.ts';
import { FILE_WORKFLOWS } from '../../temporal/contract/process-file.ts';

const WITHIN_MS = 900_000;
const POLL_MS = 200;

/** Starts fresh worker processes of a stack for the duration of `work`. */
export async function withWorkers<T>(stack: Stack, work: () => Promise<T>): Promise<T> {
  try {
    await Promise.all(WORKERS.map((name) => stack.start(name)));
    return await work();
  } finally {
    await stopWorkers(stack);
  }
}

/**
 * Uploads a PDF, waits until its pages are read and chunked and the first chunks are indexed, and then terminates its
 * workflow, because embedding the rest with the offline model takes minutes.
 *
 * @param look called at each poll
 * @returns the id of the file
 */
export async function digitize(
  stack: Stack,
  { orm, engine }: { orm: Orm; engine: Engine },
  bytes: Uint8Array,
  look: () => void = () => undefined,
): Promise<string> {
  const { api_url: baseUrl, api_key: apiKey } = stack.runInfo;
  const client = new Darkroom({ baseUrl, apiKey });
  const { file_id: id } = await client.upload(bytes, { filename: 'handbook.pdf', directOverBytes: Infinity });
  const deadline = Date.now() + WITHIN_MS;
  while (!(await isIndexed(orm, id))) {
    look();
    if (Date.now() > deadline) throw new Error('the pages were not read in time');
    await delay(POLL_MS);
  }
  const workflow = engine.client.workflow.getHandle(FILE_WORKFLOWS.of(id));
  // The workflow may have completed by itself.
  await workflow.terminate('measured').catch(() => undefined);
  return id;
}

async function isIndexed(orm: Orm, fileId: string): Promise<boolean> {
  const [file] = await orm.em.fork().execute<{ status: string; indexed: boolean }[]>(
    `select primary_status as status, exists (
       select from document_chunks where file_id = files.id and embedding_status = 'completed') as indexed
     from files where id = ?`,
    [fileId],
  );
  if (file?.status === 'failed') throw new Error('the document could not be read');
  return file?.indexed === true;
}
