import { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import { isOpenUploadSession } from '../../domain/upload-sessions/upload-session.ts';
import { countFiles } from '../upload-sessions/count-files.ts';
import type { Invariant } from './invariant.ts';
import { inspect, walk } from './walk.ts';

export const sessions: Invariant = {
  id: 'I4',
  title:
    'total = completed + failed + skipped + pending in every session, and nothing is pending in an ended one',
  async *check({ em }) {
    yield* inspect(walk(em, UploadSession), async ({ id, status }) => {
      const { total, completed, failed, skipped, pending } = await countFiles(em(), id);
      const sum = completed + failed + skipped + pending;
      if (sum !== total) return `session ${id} has ${total} files and accounts for ${sum}`;
      // Files that a cancellation kept from starting stay pending forever, as the contract requires.
      if (pending === 0 || isOpenUploadSession(status) || status === 'cancelled') return undefined;
      return `session ${id} is ${status} with ${pending} files pending`;
    });
  },
};
