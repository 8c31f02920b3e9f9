import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { client, messageOf } from '../../../lib/client.ts';
import { TEXTS } from '../../../texts.ts';
import { notify } from '../../../ui/notices.tsx';
import { LIBRARY_TEXTS } from '../texts.ts';

const AT_ONCE = 4;
/** The most files of one request to delete, and of one list by ids. */
const CHUNK = 100;

/** One step of an action: how many files it is about, and its request. @returns how many of them it refused, and why */
export interface Step {
  size: number;
  run: (signal: AbortSignal) => Promise<{ failed: number; reason: string } | void>;
}

export interface Progress {
  done: number;
  total: number;
}

/** Runs steps, some at once, and says at the end what came of them. */
export function useBatch() {
  const queries = useQueryClient();
  const [progress, setProgress] = useState<Progress | null>(null);
  const stop = useRef<AbortController>(null);
  /** @param summary the sentence about so many files; @param undo takes it back, offered beside that sentence */
  const start = async (
    steps: readonly Step[],
    summary: (count: number) => string,
    undo?: () => void,
  ): Promise<void> => {
    const abort = (stop.current = new AbortController());
    const total = steps.reduce((sum, { size }) => sum + size, 0);
    const waiting = steps.values();
    let done = 0;
    let failed = 0;
    let reason = '';
    setProgress({ done, total });
    const work = async () => {
      for (const { size, run } of waiting) {
        if (abort.signal.aborted) return;
        try {
          // Each worker takes the next step when it has finished one.
          // oxlint-disable-next-line no-await-in-loop
          const refused = await run(abort.signal);
          failed += refused?.failed ?? 0;
          reason ||= refused?.reason ?? '';
        } catch (error) {
          if (abort.signal.aborted) return;
          failed += size;
          reason ||= messageOf(error);
        }
        done += size;
        setProgress({ done, total });
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    setProgress(null);
    await Promise.all([
      queries.invalidateQueries({ queryKey: ['files'] }),
      queries.invalidateQueries({ queryKey: ['folders'] }),
    ]);
    const sentence = summary(done - failed);
    notify(
      failed > 0 ? LIBRARY_TEXTS.withFailures(sentence, failed, reason) : sentence,
      failed > 0,
      undo && { name: TEXTS.common.undo, run: undo },
    );
  };
  return { progress, start, cancel: () => stop.current?.abort() };
}

export type Batch = ReturnType<typeof useBatch>;

const each = (ids: readonly string[], run: (id: string, signal: AbortSignal) => Promise<unknown>): Step[] =>
  ids.map((id) => ({ size: 1, run: async (signal) => void (await run(id, signal)) }));

const chunksOf = (ids: readonly string[]) =>
  Array.from({ length: Math.ceil(ids.length / CHUNK) }, (_, index) =>
    ids.slice(index * CHUNK, (index + 1) * CHUNK),
  );

/** Moves files. @param folder null for no folder */
export const moveSteps = (ids: readonly string[], folder: string | null): Step[] =>
  each(ids, (id, signal) =>
    client.api.PATCH('/files/{file_id}', {
      params: { path: { file_id: id } },
      body: { folder_id: folder },
      signal,
    }),
  );

export const retrySteps = (ids: readonly string[]): Step[] =>
  each(ids, (id, signal) =>
    client.api.POST('/files/{file_id}/retry', { params: { path: { file_id: id } }, body: {}, signal }),
  );

/** @param onAnswer gets what the API says about each restored file */
export const restoreSteps = (ids: readonly string[], onAnswer: (answer: Restored) => void): Step[] =>
  each(ids, async (id, signal) => {
    const { data } = await client.api.POST('/files/{file_id}/restore', {
      params: { path: { file_id: id } },
      signal,
    });
    onAnswer(data);
  });
export type Restored = Awaited<ReturnType<typeof restore>>['data'];
const restore = (id: string) =>
  client.api.POST('/files/{file_id}/restore', { params: { path: { file_id: id } } });

export const eraseSteps = (ids: readonly string[]): Step[] =>
  each(ids, (id, signal) =>
    client.api.DELETE('/files/{file_id}', {
      params: { path: { file_id: id }, query: { permanent: true } },
      signal,
    }),
  );

export const deleteSteps = (ids: readonly string[]): Step[] =>
  chunksOf(ids).map((chunk) => ({
    size: chunk.length,
    run: async (signal) => {
      const { data } = await client.api.POST('/files/batch-delete', { body: { file_ids: chunk }, signal });
      return { failed: data.failed.length, reason: data.failed[0]?.message ?? '' };
    },
  }));

/** Adds and removes tags; those that a file has besides stay. */
export const tagSteps = (ids: readonly string[], change: { add: string[]; remove: string[] }): Step[] =>
  chunksOf(ids).map((chunk) => ({
    size: chunk.length,
    run: async (signal) => {
      const { data } = await client.api.GET('/files', {
        params: { query: { ids: chunk, limit: CHUNK } },
        signal,
      });
      let [failed, reason] = [chunk.length - data.items.length, ''];
      for (const { id, tags } of data.items) {
        const next = [...new Set([...tags.filter((tag) => !change.remove.includes(tag)), ...change.add])];
        if (next.join('\n') === tags.join('\n')) continue;
        try {
          // One file after the other: the steps run beside each other already.
          // oxlint-disable-next-line no-await-in-loop
          await client.api.PATCH('/files/{file_id}', {
            params: { path: { file_id: id } },
            body: { tags: next },
            signal,
          });
        } catch (error) {
          signal.throwIfAborted();
          failed += 1;
          reason ||= messageOf(error);
        }
      }
      return { failed, reason };
    },
  }));
