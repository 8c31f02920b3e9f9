import { use, useSyncExternalStore } from 'react';
import { useSession, type Session } from '../../lib/session.ts';
import { followProcessing } from './follow-processing.ts';
import { UploadQueue, type UploadSnapshot } from './upload-queue.ts';
import { UploadSender } from './upload-sender.ts';
import { UploadStorage } from './upload-storage.ts';

export interface Uploads {
  queue: UploadQueue;
  sender: UploadSender;
}

let opened: Promise<Uploads> | undefined;

/**
 * The uploads of the signed-in user, which belong to no page: they go on while the user is elsewhere in the console.
 * Suspends until the database of the browser is open.
 */
export function useUploads(): Uploads & { snapshot: UploadSnapshot } {
  const owner = ownerOf(useSession());
  // Signing in and changing the tenant load the document anew, so there is one owner.
  opened ??= open(owner);
  const uploads = use(opened);
  return { ...uploads, snapshot: useSyncExternalStore(uploads.queue.subscribe, uploads.queue.snapshot) };
}

async function open(owner: string): Promise<Uploads> {
  const queue = new UploadQueue(owner, await UploadStorage.open());
  const sender = new UploadSender(queue);
  followProcessing(queue);
  await queue.takeOver();
  return { queue, sender };
}

const ownerOf = ({ tenant, user }: Session) => `${tenant.id}/${user.id}`;
