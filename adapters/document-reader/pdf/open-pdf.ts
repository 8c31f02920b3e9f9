import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import * as pdfjs from 'pdfjs-dist/legacy/build/pdf.mjs';
import { checkPageCount, LIMITS } from '../limits.ts';
import { UnreadableDocument } from '../document-reader.ts';

export type Pdf = pdfjs.PDFDocumentProxy;
export type PdfPage = pdfjs.PDFPageProxy;

const PACKAGE = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));
const folder = (name: string): string => `${join(PACKAGE, name)}/`;

/**
 * Opens a PDF without external resources: fonts, character maps and decoders come from the package, scripts and forms
 * are never run, and links are never fetched. A damaged object table is rebuilt if possible.
 *
 * @throws UnreadableDocument encrypted with a password, damaged beyond repair, with too many pages or none
 */
export async function openPdf(path: string): Promise<Pdf> {
  const file = await readFile(path);
  const loading = pdfjs.getDocument({
    data: new Uint8Array(file.buffer, file.byteOffset, file.byteLength),
    enableXfa: false,
    useSystemFonts: false,
    useWorkerFetch: false,
    disableFontFace: true,
    fontExtraProperties: true,
    stopAtErrors: false,
    maxImageSize: LIMITS.imagePixels,
    standardFontDataUrl: folder('standard_fonts'),
    cMapUrl: folder('cmaps'),
    cMapPacked: true,
    wasmUrl: folder('wasm'),
    iccUrl: folder('iccs'),
    verbosity: pdfjs.VerbosityLevel.ERRORS,
  });
  const pdf = await loading.promise.catch((error: unknown) => {
    throw explainPdfFailure(error);
  });
  try {
    checkPageCount(pdf.numPages);
  } catch (error) {
    await loading.destroy();
    throw error;
  }
  return pdf;
}

/** Maps the engine's exceptions by name; all are the document's fault. */
export function explainPdfFailure(error: unknown): UnreadableDocument {
  if (error instanceof UnreadableDocument) return error;
  const name = error instanceof Error ? error.name : '';
  if (name === 'PasswordException')
    return new UnreadableDocument('encrypted', 'The document is encrypted with a password.', {
      cause: error,
    });
  return new UnreadableDocument('damaged', 'The document is damaged or not a PDF.', { cause: error });
}
