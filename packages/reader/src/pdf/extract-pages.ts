import { UnreadableDocument } from '../opened-document.ts';
import type { Pdfium } from './pdfium.ts';

const INDEX_BYTES = 4;

/**
 * Pages of a PDF as a PDF of their own: with their text, fonts and pictures, and without what only other pages use. The
 * outline, the metadata and the encryption of the whole stay behind.
 *
 * @param range numbers of the first and the last page
 * @throws UnreadableDocument
 */
export function extractPages(
  pdfium: Pdfium,
  document: number,
  { first, last }: { first: number; last: number },
): Uint8Array {
  const count = last - first + 1;
  const indices = pdfium.malloc(count * INDEX_BYTES);
  const part = pdfium.FPDF_CreateNewDocument();
  const writer = pdfium.PDFiumExt_OpenFileWriter();
  if (indices === 0 || part === 0 || writer === 0) throw tooLarge();
  const numbers = Int32Array.from({ length: count }, (_, at) => first - 1 + at);
  pdfium.bytes(indices, count * INDEX_BYTES).set(new Uint8Array(numbers.buffer));
  if (
    pdfium.FPDF_ImportPagesByIndex(part, document, indices, count, 0) === 0 ||
    pdfium.PDFiumExt_SaveAsCopy(part, writer) === 0
  )
    throw new UnreadableDocument('damaged', `Pages ${first} to ${last} cannot be copied.`);
  const size = pdfium.PDFiumExt_GetFileWriterSize(writer);
  const buffer = pdfium.malloc(size);
  if (buffer === 0) throw tooLarge();
  pdfium.PDFiumExt_GetFileWriterData(writer, buffer, size);
  const bytes = Uint8Array.from(pdfium.bytes(buffer, size));
  for (const address of [buffer, indices]) pdfium.free(address);
  pdfium.PDFiumExt_CloseFileWriter(writer);
  pdfium.FPDF_CloseDocument(part);
  return bytes;
}

const tooLarge = (): UnreadableDocument =>
  new UnreadableDocument('too_large', 'The pages need too much memory to be copied.');
