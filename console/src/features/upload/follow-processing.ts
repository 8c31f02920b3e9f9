import { client } from '../../lib/client.ts';
import { explain, statusOf } from '../../ui/status.tsx';
import type { UploadQueue } from './upload-queue.ts';

const POLL_MS = 2500;
/** Files of one request. */
const MOST = 100;

/** Keeps the states of stored files up to date while they are processed, those added first before others. */
export function followProcessing(queue: UploadQueue): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const poll = async () => {
    try {
      await readStates(queue);
    } finally {
      timer = undefined;
      schedule();
    }
  };
  const schedule = () => {
    if (queue.processing().length > 0)
      timer ??= setTimeout(() => void poll().catch(() => undefined), POLL_MS);
  };
  queue.subscribe(schedule);
}

async function readStates(queue: UploadQueue): Promise<void> {
  const items = queue.processing().slice(0, MOST);
  const ids = [...new Set(items.flatMap(({ fileId }) => fileId ?? []))];
  const query = { ids, limit: MOST };
  const { data } = await client.api.GET('/files', { params: { query } });
  const files = new Map(data.items.map((file) => [file.id, file]));
  for (const { id, fileId } of items) {
    const file = files.get(fileId ?? '');
    // It was deleted in the meantime.
    if (!file) queue.change(id, { state: 'cancelled' });
    else if (file.primary_status !== 'pending' && file.primary_status !== 'processing') {
      const isWhole = file.primary_status === 'completed';
      const reason = isWhole ? undefined : explain(file, await explanationOf(file.id));
      const state = statusOf(file);
      queue.change(id, { state, ...(reason !== undefined && { reason }) });
    }
  }
}

/** The sentence of the API about what went wrong. */
async function explanationOf(fileId: string): Promise<string> {
  const params = { path: { file_id: fileId } };
  return (await client.api.GET('/files/{file_id}/processing-status', { params })).data.explanation;
}
