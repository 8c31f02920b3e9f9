/** `pending` until the bytes behind its URL are a file, or a copy of one, or it is known that they will not be. */
export const IMAGE_IMPORT_STATUSES = ['pending', 'completed', 'failed'] as const;
export type ImageImportStatus = (typeof IMAGE_IMPORT_STATUSES)[number];

/** Longest URL of an image. */
export const MAX_IMAGE_URL_LENGTH = 2048;
