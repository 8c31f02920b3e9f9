/** Largest file that may be streamed through the API: 100 MB. Larger ones use a direct upload. */
export const MAX_STREAMED_BYTES = 100 * 1024 * 1024;

export const MAX_TITLE_LENGTH = 255;
export const MAX_TAGS = 40;
export const MAX_TAG_LENGTH = 50;
/** As they are sent, empty and repeated ones included: what is beyond this is refused unread. */
export const MAX_TAGS_SENT = 5 * MAX_TAGS;
export const MAX_USER_DESCRIPTION_LENGTH = 10_000;
/** Longer client file names are cut; they are data for people, never a path. */
export const MAX_FILENAME_LENGTH = 255;

/** Streaming memory, by the contract: 2 GB in all, 500 MB a tenant. */
export const GLOBAL_UPLOAD_MEMORY = 2_000_000_000;
export const TENANT_UPLOAD_MEMORY = 500_000_000;

/** Tags that a direct upload may come with. */
export const MAX_UPLOAD_TAGS = 20;
/** Direct uploads of one tenant that are neither completed nor ended. */
export const MAX_OPEN_UPLOADS = 10_000;
/** How long the record of a direct upload that failed is kept. */
export const FAILED_UPLOAD_DAYS = 30;
export const MAX_ABORT_REASON_LENGTH = 255;
/** Presigned URLs live seven days at most. */
export const MAX_UPLOAD_SECONDS = 7 * 86_400;

export const DOWNLOAD_URL_SECONDS = 300;
export const VARIANT_URL_SECONDS = 3600;

/** Live connections that one tenant may hold to one process, and the channels of each. */
export const MAX_LIVE_CONNECTIONS = 50;
export const MAX_LIVE_SUBSCRIPTIONS = 20;

/** How long a deleted file can be restored. */
export const TRASH_DAYS = 30;
export const MAX_BATCH_DELETE = 100;
export const MAX_HASHES_CHECKED = 250;
export const MAX_LEGACY_HASHES_CHECKED = 200;

/** Files of a presigned batch. */
export const MAX_PRESIGNED_BATCH_FILES = 5;
/** Presigned batches of one tenant that wait for their files at the same time. */
export const MAX_WAITING_BATCHES = 20;
/** How long the URLs of legacy uploads work. */
export const LEGACY_URL_SECONDS = 600;
/** How long a presigned upload may be confirmed, or recovered by a client that was away. */
export const PENDING_WINDOW_SECONDS = 2 * 3600;
/** A batch that nobody has confirmed for so long may be cleaned up. */
export const STALE_BATCH_SECONDS = 30 * 60;

/** Of what an upload client adds to an event, as JSON. */
export const MAX_EVENT_DATA_BYTES = 10 * 1024;
