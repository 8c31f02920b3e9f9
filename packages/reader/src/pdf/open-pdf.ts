import { open } from 'node:fs/promises';
import { checkPageCount, LIMITS } from '../limits.ts';
import { UnreadableDocument } from '../opened-document.ts';
import type { OutlineTitle } from '../layout/page-parts.ts';
import { readOutline } from './outline.ts';
import { createPdfium, type Pdfium } from './pdfium.ts';

/** Maps user space to an upright page: a, b, c, d, e, f of PDF. */
export type Matrix = readonly [number, number, number, number, number, number];

/** A page while it is open. */
export interface PdfPage {
  pdfium: Pdfium;
  handle: number;
  document: number;
  /** Draws the fields of forms; 0 for a document without any. */
  forms: number;
  /** Whether forms (XObjects) of the document may be in a layer by themselves. */
  hasLayeredForms: boolean;
  number: number;
  /** Size in points, upright by the page's rotation. */
  width: number;
  height: number;
  /** Quarter turns clockwise in which the page is shown. */
  rotation: number;
  /** From user space to points from the upper left corner, upright. */
  matrix: Matrix;
  /** The titles of the document's outline that lead to the page. */
  outline: readonly OutlineTitle[];
}

interface OpenedPdf {
  pdfium: Pdfium;
  document: number;
  /** Draws the fields of forms; 0 for a document without any. */
  forms: number;
  hasLayeredForms: boolean;
}

export interface Pdf {
  pageCount: number;
  /** A text of the document's metadata, such as its `Title`; empty if it has none. */
  metadata(key: string): string;
  /** @throws UnreadableDocument for a page that cannot be read; others still may be */
  withPage<T>(pageNumber: number, work: (page: PdfPage) => T): Promise<T>;
  /** Work on the whole document. @throws UnreadableDocument */
  withDocument<T>(work: (pdfium: Pdfium, document: number) => T): Promise<T>;
}

/** The engine's codes of documents that it does not open. */
const NEEDS_PASSWORD = 4;
const UNKNOWN_ENCRYPTION = 5;

/**
 * Opens a PDF. Scripts and forms are never run, and nothing outside the file is read: fonts and character maps come with
 * the engine. A damaged object table is rebuilt if possible.
 *
 * @throws UnreadableDocument encrypted with a password, damaged beyond repair, with too many pages or none
 */
export async function openPdf(path: string): Promise<Pdf> {
  const first = await load(path);
  let opened: OpenedPdf | undefined = first;
  let outline: ReadonlyMap<number, readonly OutlineTitle[]> | undefined;
  const pageCount = guarded(() => countPages(first));
  checkPageCount(pageCount);
  return {
    pageCount,
    metadata(key) {
      if (!opened) return '';
      const { pdfium, document } = opened;
      const name = pdfium.at(0);
      pdfium.bytes(name, key.length + 1).set(Buffer.from(`${key}\0`));
      const text = pdfium.written((buffer, length) =>
        pdfium.FPDF_GetMetaText(document, name, buffer, length),
      );
      return text.toString('utf16le').replace(/\0$/, '');
    },
    async withPage(pageNumber, work) {
      opened ??= await load(path);
      if (!outline) {
        outline = new Map();
        try {
          outline = readOutline(opened.pdfium, opened.document);
        } catch {
          // A document is read without an outline that leads the engine astray.
          opened = await load(path);
        }
      }
      const { pdfium, document, forms, hasLayeredForms } = opened;
      try {
        const handle = pdfium.FPDF_LoadPage(document, pageNumber - 1);
        if (handle !== 0) {
          const result = work({
            ...shapeOf(pdfium, handle),
            pdfium,
            handle,
            document,
            forms,
            hasLayeredForms,
            number: pageNumber,
            outline: outline.get(pageNumber - 1) ?? [],
          });
          pdfium.FPDF_ClosePage(handle);
          return result;
        }
      } catch (error) {
        // An engine that has failed within a call is in no known state.
        opened = undefined;
        throw explained(error);
      }
      throw damaged();
    },
    async withDocument(work) {
      opened ??= await load(path);
      try {
        return work(opened.pdfium, opened.document);
      } catch (error) {
        opened = undefined;
        throw explained(error);
      }
    },
  };
}

async function load(path: string): Promise<OpenedPdf> {
  const pdfium = await createPdfium();
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const address = size <= LIMITS.fileBytes ? guarded(() => pdfium.malloc(size)) : 0;
    if (address === 0) throw new UnreadableDocument('too_large', `The document has ${size} bytes.`);
    await file.read(pdfium.bytes(address, size), { position: 0 });
    const document = guarded(() => pdfium.FPDF_LoadMemDocument(address, size, 0));
    if (document !== 0) {
      const forms = guarded(() => openForms(pdfium, document));
      return { pdfium, document, forms, hasLayeredForms: namesLayers(pdfium.bytes(address, size)) };
    }
    const code = pdfium.FPDF_GetLastError();
    if (code === NEEDS_PASSWORD || code === UNKNOWN_ENCRYPTION)
      throw new UnreadableDocument('encrypted', 'The document is encrypted with a password.');
    throw damaged();
  } finally {
    await file.close();
  }
}

/**
 * The pages that a document has, with those that are missing: they fail one by one. A document without half of the pages
 * that it claims has a false count, which the engine believes.
 */
function countPages({ pdfium, document }: OpenedPdf): number {
  const isThere = (count: number): boolean =>
    pdfium.FPDF_GetPageSizeByIndexF(document, count - 1, pdfium.at(0)) !== 0;
  const claimed = pdfium.FPDF_GetPageCount(document);
  if (claimed < 1 || isThere(claimed)) return claimed;
  let [found, missing] = [0, claimed];
  while (missing - found > 1) {
    const middle = Math.floor((found + missing) / 2);
    if (isThere(middle)) found = middle;
    else missing = middle;
  }
  return found * 2 >= claimed ? claimed : found;
}

/** An entry of an object that names its layer. */
const LAYER = '/OC';
const ITS_LAYER = /^\s{0,9}(?:<<|\d)/;
const ENTRY = 16;
/** After so many other names that begin alike, there may be one. */
const MOST_OTHERS = 100_000;

/** Whether objects with content of their own name a layer: they are never compressed, and neither are their entries. */
function namesLayers(file: Uint8Array): boolean {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.length);
  let at = bytes.indexOf(LAYER);
  for (let others = 0; at >= 0 && others < MOST_OTHERS; others++) {
    if (ITS_LAYER.test(bytes.toString('latin1', at + LAYER.length, at + ENTRY))) return true;
    at = bytes.indexOf(LAYER, at + 1);
  }
  return at >= 0;
}

/** Without it, the engine leaves out what was filled in. No script runs: the engine has no interpreter. */
function openForms(pdfium: Pdfium, document: number): number {
  if (pdfium.FPDF_GetFormType(document) === 0) return 0;
  const forms = pdfium.PDFiumExt_InitFormFillEnvironment(document, pdfium.PDFiumExt_OpenFormFillInfo());
  if (forms !== 0) pdfium.FPDF_SetFormFieldHighlightAlpha(forms, 0);
  return forms;
}

function shapeOf(pdfium: Pdfium, handle: number): Pick<PdfPage, 'width' | 'height' | 'rotation' | 'matrix'> {
  const rotation = pdfium.FPDFPage_GetRotation(handle);
  pdfium.FPDF_GetPageBoundingBox(handle, pdfium.at(0));
  const [left, top, right, bottom] = [pdfium.float(0), pdfium.float(1), pdfium.float(2), pdfium.float(3)];
  const matrices: readonly Matrix[] = [
    [1, 0, 0, -1, -left, top],
    [0, 1, 1, 0, -bottom, -left],
    [-1, 0, 0, 1, right, -bottom],
    [0, -1, -1, 0, top, right],
  ];
  return {
    width: pdfium.FPDF_GetPageWidthF(handle),
    height: pdfium.FPDF_GetPageHeightF(handle),
    rotation,
    matrix: matrices[rotation] ?? [1, 0, 0, -1, -left, top],
  };
}

const damaged = (cause?: unknown): UnreadableDocument =>
  new UnreadableDocument('damaged', 'The document is damaged or not a PDF.', { cause });

/** The engine ends with a trap, or a full stack, on documents that lead it astray; other errors are ours. */
function explained(error: unknown): unknown {
  const isTrap = !(error instanceof Error) || error.name === 'RuntimeError' || error instanceof RangeError;
  return isTrap ? damaged(error) : error;
}

function guarded<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw explained(error);
  }
}
