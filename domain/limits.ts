/** Largest file that may be streamed through the API: 100 MB. Larger ones use a direct upload. */
export const MAX_STREAMED_BYTES = 100 * 1024 * 1024;

export const MAX_TITLE_LENGTH = 255;
export const MAX_TAGS = 40;
export const MAX_TAG_LENGTH = 50;
/** Tags in a request, including empty and repeated ones: longer lists are refused without being parsed. */
export const MAX_TAGS_SENT = 5 * MAX_TAGS;
export const MAX_USER_DESCRIPTION_LENGTH = 10_000;
/** Corrections of an extraction over all reviews, and in one review of each kind. */
export const MAX_CORRECTIONS = 1_000;
export const MAX_CORRECTIONS_SENT = 200;
export const MAX_DOT_PATH_LENGTH = 200;
/** Longer client file names are truncated; they are display data, never a path. */
export const MAX_FILENAME_LENGTH = 255;

export const MAX_FOLDER_NAME_LENGTH = 255;
/** Levels of folders; folders in the root are level 1. */
export const MAX_FOLDER_DEPTH = 20;
/** Live folders of one tenant, which bounds every walk of its tree. */
export const MAX_FOLDERS = 10_000;
export const MAX_SLUG_LENGTH = 63;
export const MAX_PROJECT_DESCRIPTION_LENGTH = 2000;

/** Streaming memory, set by the contract: 2 GB in total, 500 MB per tenant. */
export const GLOBAL_UPLOAD_MEMORY = 2_000_000_000;
export const TENANT_UPLOAD_MEMORY = 500_000_000;

/** Tags of a direct upload. */
export const MAX_UPLOAD_TAGS = 20;
/** Open direct uploads of one tenant. */
export const MAX_OPEN_UPLOADS = 10_000;
/** Retention of the record of a failed direct upload. */
export const FAILED_UPLOAD_DAYS = 30;
export const MAX_ABORT_REASON_LENGTH = 255;
/** Presigned URLs are valid for at most seven days. */
export const MAX_UPLOAD_SECONDS = 7 * 86_400;

export const DOWNLOAD_URL_SECONDS = 300;
export const VARIANT_URL_SECONDS = 3600;

/** Live connections per tenant and process, and channels per connection. */
export const MAX_LIVE_CONNECTIONS = 50;
export const MAX_LIVE_SUBSCRIPTIONS = 20;

/** Time during which a deleted file can be restored. */
export const TRASH_DAYS = 30;
export const MAX_TRASH_DAYS = 3650;
/** A hundred years. */
export const MAX_RETENTION_DAYS = 36_500;
export const MAX_HOLD_REASON_LENGTH = 500;

/** Days that a link to a file works, and how many links a file may have. */
export const USUAL_SHARE_DAYS = 7;
export const MAX_SHARE_DAYS = 365;
export const MAX_SHARES = 50;
export const MAX_BATCH_DELETE = 100;
export const MAX_HASHES_CHECKED = 250;
export const MAX_LEGACY_HASHES_CHECKED = 200;

/** Files per presigned batch. */
export const MAX_PRESIGNED_BATCH_FILES = 5;
/** Presigned batches per tenant that may await their files at the same time. */
export const MAX_WAITING_BATCHES = 20;
/** Validity of the URLs of legacy uploads. */
export const LEGACY_URL_SECONDS = 600;
/** Time in which a presigned upload may be confirmed, or recovered by a client that was offline. */
export const PENDING_WINDOW_SECONDS = 2 * 3600;
/** An unconfirmed batch may be cleaned up after this time. */
export const STALE_BATCH_SECONDS = 30 * 60;

/** Size of the data in an upload client's event, as JSON. */
export const MAX_EVENT_DATA_BYTES = 10 * 1024;

/** Length of a document search query. */
export const MAX_SEARCH_QUERY = 1000;
export const MAX_SEARCH_RESULTS = 100;
/** Maximum number of chunks that one request may list; without paging parameters, all are listed. */
/** Elements listed with a chunk: more than those of nearly all chunks. */
export const MAX_CHUNK_ELEMENTS = 100;
export const MAX_CHUNKS_LISTED = 1000;
/** Documents that one search may be restricted to. */
export const MAX_SEARCH_IDS = 1000;
/** "over the synchronous limit of /files/analyze (10 MB)" */
export const MAX_ANALYZED_BYTES = 10 * 1024 * 1024;
/** An image sent as base64, which is held in memory as text and as bytes: a tenth of a form's limit. */
export const MAX_BASE64_IMAGE_BYTES = 10 * 1024 * 1024;
/** An image to extract from that is named by its URL; it is held in memory. */
export const MAX_FETCHED_IMAGE_BYTES = 20 * 1024 * 1024;

export const MAX_API_KEY_NAME_LENGTH = 100;
/** API keys of one tenant that are neither revoked nor expired. */
export const MAX_LIVE_API_KEYS = 100;

export const MAX_TENANT_NAME_LENGTH = 200;
/** Members of one tenant: their list is not paginated. */
export const MAX_MEMBERS = 1000;
/** Invitations from one tenant to one address per day. */
export const MAX_INVITATION_MAILS_A_DAY = 5;
export const MAX_ALLOWED_DOMAINS = 100;
/** Size of a tenant's own settings, as JSON, and the nesting depth of objects and lists in them. */
export const MAX_CUSTOM_CONFIG_BYTES = 16 * 1024;
export const MAX_CUSTOM_CONFIG_DEPTH = 10;

/** Retention of audit log entries. */
export const AUDIT_LOG_MONTHS = 13;
/** Retention of usage, in whole months besides the current one. */
export const USAGE_MONTHS = 13;
/** Refused requests of one tenant that are logged per minute of its audit log. */
export const MAX_DENIALS_LOGGED_A_MINUTE = 10;

/** "History export: limit up to 100000 records; history list limit 1-1000" */
export const MAX_EXPORTED_RECORDS = 100_000;
export const MAX_HISTORY_PAGE = 1000;
/** Terms per history search. */
export const MAX_HISTORY_TERMS = 20;
export const MAX_EXPORT_COLUMNS = 100;
/** Ids per request for an export of files. */
export const MAX_EXPORT_IDS = 1000;
export const MAX_COLUMN_NAME_LENGTH = 255;
/** Exports of one tenant in progress at the same time. */
export const MAX_OPEN_EXPORTS = 5;
/** Retention of export files and their records. */
export const EXPORT_HOURS = 24;
export const EXPORT_RECORD_DAYS = 30;
/** "export download URL 1 hour" */
export const EXPORT_URL_SECONDS = 3600;

/** Files into which a document is divided at a time. */
export const MAX_SPLIT_PARTS = 500;
/** Live files into which a document is divided, by all of its splits. */
export const MAX_PARTS_OF_FILE = 2_000;
/** Splits of one tenant that are open at the same time. */
export const MAX_OPEN_SPLITS = 5;
/** Splits of a document that are kept, the newest. */
export const MAX_SPLITS_OF_FILE = 20;
/** Ids per request to process files again. */
export const MAX_REPROCESSED_IDS = 1000;
/** Reprocessings of one tenant that are open at the same time. */
export const MAX_OPEN_REPROCESSINGS = 5;
/** How long former descriptions are kept once a reprocessing has ended, unless it is closed before. */
export const REPROCESSING_DAYS = 30;

/** Connections of one tenant to accounts at providers. */
export const MAX_CONNECTIONS = 20;
/** Imports of one tenant that have not ended. */
export const MAX_OPEN_IMPORTS = 3;
/** Objects of one import. */
export const MAX_IMPORT_ITEMS = 10_000_000;
/** Retention of imports that have ended, and of what they found. */
export const IMPORT_RECORD_DAYS = 90;
/** Manifest of an import, and a line of it. */
export const MAX_MANIFEST_BYTES = 100_000_000;
/** Imports of an account that repeat. */
export const MAX_REPEATED_IMPORTS = 20;
/** The fastest rate that can be set for an import or a reprocessing. */
export const MAX_FILES_PER_MINUTE = 6000;
/** Keys of S3 have up to 1024 bytes. */
export const MAX_SOURCE_KEY = 1024;
export const MAX_MANIFEST_LINE = 64 * 1024;
/** Largest file of an import: what a store copies in one call. */
export const MAX_IMPORTED_BYTES = 5_000_000_000;
/** Time in which the owner of an account must consent to a connection. */
export const CONNECTION_FLOW_SECONDS = 600;

/** Webhook subscriptions of one tenant, not counting those of single requests. */
export const MAX_WEBHOOK_SUBSCRIPTIONS = 20;
/** Time for which a webhook's former secret also signs after a rotation. */
export const WEBHOOK_SECRET_OVERLAP_HOURS = 24;
/** Retention of deliveries that have ended, with their attempts. */
export const WEBHOOK_DELIVERY_DAYS = 30;

/**
 * Characters of an image's or document's text that lists search with word positions, and of a document's further words,
 * each counted once; the migrations repeat this number.
 */
export const MAX_LISTED_TEXT = 100_000;
