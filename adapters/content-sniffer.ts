import { fileTypeFromBuffer } from 'file-type';

/**
 * Detects a content type from leading bytes alone.
 *
 * @param head the first MAGIC_BYTES bytes of a file, or all of a smaller one
 * @returns undefined for content without a signature, such as text, HTML and scripts
 */
export async function sniffContentType(head: Uint8Array): Promise<string | undefined> {
  const found = await fileTypeFromBuffer(head);
  // An animated PNG is a PNG to every reader; those that cannot animate show its first frame.
  return found?.mime === 'image/apng' ? 'image/png' : found?.mime;
}
