import type { Body } from 'darkroom-client';

export type ContentCategory = NonNullable<Body<'/files/links'>['content_category']>;

/** What the user has chosen for the files that are added next. */
export interface Destination {
  /** Id of a project; empty for none. */
  projectId: string;
  /** Names from the root of the project, or of everything, such as `Harbour/2026`; empty for the root itself. */
  folder: string;
  tags: readonly string[];
  /** Empty for the category of the project. */
  category: ContentCategory | '';
  describe: boolean;
}

export type UploadState =
  | 'pending'
  | 'uploading'
  | 'processing'
  | 'completed'
  | 'partially_completed'
  | 'failed'
  | 'duplicate'
  | 'refused'
  | 'cancelled';

/** A file or link of the queue, without its bytes. */
export interface UploadItem {
  /** Ascending in the order of addition; negative if the browser could not store the bytes. */
  id: number;
  /** Tenant and user, who alone see it and send it. */
  owner: string;
  /** The page that added it. */
  queue: string;
  kind: 'file' | 'link';
  /** File name or URL. */
  name: string;
  /** Destination folder and the folders of the file below it. */
  folder: string;
  /** In bytes; 0 for links. */
  size: number;
  destination: Destination;
  state: UploadState;
  /** Bytes that were sent. */
  sent: number;
  /** Whether an attempt has sent it, so that the API may have it although there was no answer. */
  begun?: boolean;
  /** The direct upload that its bytes are sent with, until it has ended. */
  uploadId?: string;
  /** SHA-256 of the bytes, once they were read. */
  hash?: string;
  /** The stored file, or the existing one of a duplicate. */
  fileId?: string;
  /** Name of the existing file of a duplicate, where it is known. */
  existingName?: string;
  /** Why it was refused or failed. */
  reason?: string;
  /** Whether another attempt may succeed. */
  canRetry?: boolean;
}

/** States in which the bytes are not needed any more. */
export const isStored = ({ state }: UploadItem): boolean =>
  state === 'processing' ||
  state === 'completed' ||
  state === 'partially_completed' ||
  state === 'failed' ||
  state === 'duplicate';

export const isOpen = ({ state }: UploadItem): boolean => state === 'pending' || state === 'uploading';

/** Whether nothing more happens to it without the user. */
export const isOver = (item: UploadItem): boolean => !isOpen(item) && item.state !== 'processing';

export interface Totals {
  count: number;
  bytes: number;
  sentBytes: number;
  byState: Readonly<Record<UploadState, number>>;
}

/** Counts of a queue; cancelled items count for nothing but themselves. */
export function totalsOf(items: readonly UploadItem[]): Totals {
  const byState = {
    pending: 0,
    uploading: 0,
    processing: 0,
    completed: 0,
    partially_completed: 0,
    failed: 0,
    duplicate: 0,
    refused: 0,
    cancelled: 0,
  };
  let [bytes, sentBytes] = [0, 0];
  for (const item of items) {
    byState[item.state] += 1;
    if (item.state === 'cancelled') continue;
    bytes += item.size;
    sentBytes += isOpen(item) ? item.sent : item.size;
  }
  return { count: items.length - byState.cancelled, bytes, sentBytes, byState };
}
