import { randomUUID } from 'node:crypto';
import type { RawQueryFragment } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { ObjectStore, UploadedPart } from '../../adapters/object-store/object-store.ts';

interface Client {
  query: (query: object) => unknown;
  release: (discard: boolean) => void;
}

/** As the parts of exports. */
const PART_BYTES = 5 * 1024 * 1024;

/**
 * Runs `COPY (query) TO STDOUT (FORMAT csv)` and stores the output as one object, part by part while more arrives.
 *
 * @returns the number of rows
 */
export async function copyToStore(
  em: EntityManager,
  query: RawQueryFragment,
  objects: ObjectStore,
): Promise<number> {
  const upload = await objects.initiateMultipart(`bench/${randomUUID()}.csv`, { contentType: 'text/csv' });
  let chunks: Buffer[] = [];
  let bytes = 0;
  let count = 0;
  let storing: Promise<UploadedPart[]> = Promise.resolve([]);
  const store = () => {
    const [part, number] = [Buffer.concat(chunks, bytes), (count += 1)];
    [chunks, bytes] = [[], 0];
    storing = storing.then(async (parts) => [...parts, await objects.uploadPart(upload, number, part)]);
    // A failure is thrown where this is awaited.
    storing.catch(() => undefined);
  };
  const rows = await copyOut(em, query, (chunk) => {
    // `pg` reuses its buffer.
    chunks.push(Buffer.from(chunk));
    bytes += chunk.length;
    if (bytes >= PART_BYTES) store();
  });
  if (bytes > 0) store();
  await objects.completeMultipart(upload, await storing);
  return rows;
}

/** Runs a COPY and hands over each row as it arrives. @returns the number of rows */
async function copyOut(
  em: EntityManager,
  query: RawQueryFragment,
  onRow: (csv: Buffer) => void,
): Promise<number> {
  const pool = (await em.getConnection().getNativeClient()) as { connect(): Promise<Client> };
  const client = await pool.connect();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let rows = 0;
  // The query interface that `pg` calls; its own query classes do not support COPY.
  const copy = {
    callback: undefined as (() => void) | undefined,
    submit: (connection: { query: (text: string) => void }) => {
      const select = em.getPlatform().formatQuery(query.sql, query.params);
      connection.query(`copy (${select}) to stdout (format csv)`);
    },
    handleCopyData: ({ chunk }: { chunk: Buffer }) => {
      rows += 1;
      onRow(chunk);
    },
    handleCommandComplete: () => undefined,
    handleReadyForQuery: () => {
      copy.callback?.();
      resolve();
    },
    handleError: (error: Error) => {
      copy.callback?.();
      reject(error);
    },
  };
  client.query(copy);
  await promise.finally(() => client.release(true));
  return rows;
}
