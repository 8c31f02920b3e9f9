/** `pending` until the bytes behind its URL have become a file or a duplicate, or the import has failed. */
export const IMAGE_IMPORT_STATUSES = ['pending', 'completed', 'failed'] as const;

/** Maximum length of an image URL. */
export const MAX_IMAGE_URL_LENGTH = 2048;
