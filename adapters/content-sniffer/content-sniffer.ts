import { fileTypeFromBuffer } from 'file-type';
import { DOCX_TYPE, isOfficeDocument } from './office-document.ts';
import { textType, type Declared } from './text-type.ts';

const ZIP = 'application/zip';
/** Readers find the header of a PDF anywhere in its first kilobyte. */
const PDF_HEADER_WITHIN = 1024;

/**
 * Detects a content type from leading bytes; of a text without a signature, by its name or declared type.
 *
 * @param head the first MAGIC_BYTES bytes of a file, or all of a smaller one
 * @returns undefined for content that is neither, such as HTML, scripts and programs
 */
export async function sniffContentType(
  head: Uint8Array,
  declared: Declared = {},
): Promise<string | undefined> {
  const found = (await fileTypeFromBuffer(head))?.mime;
  // An animated PNG is a PNG to every reader; those that cannot animate show its first frame.
  if (found === 'image/apng') return 'image/png';
  if (found === ZIP || found === DOCX_TYPE) return isOfficeDocument(head) ? DOCX_TYPE : ZIP;
  if (found !== undefined) return found;
  return textType(head, declared) ?? (hasPdfHeader(head) ? 'application/pdf' : undefined);
}

function hasPdfHeader(head: Uint8Array): boolean {
  return Buffer.from(head.subarray(0, PDF_HEADER_WITHIN)).includes('%PDF-');
}
