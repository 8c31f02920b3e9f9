import { fileTypeFromBuffer } from 'file-type';

/**
 * Detects a content type from leading bytes alone.
 *
 * @param head the first bytes of a file, MAGIC_BYTES of them if it has as many
 * @returns undefined for what has no signature, such as text, HTML and scripts
 */
export async function sniffContentType(head: Uint8Array): Promise<string | undefined> {
  const found = await fileTypeFromBuffer(head);
  // An animated PNG is a PNG to every reader; those that cannot animate show its first frame.
  return found?.mime === 'image/apng' ? 'image/png' : found?.mime;
}
