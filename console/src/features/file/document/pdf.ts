import { getDocument, GlobalWorkerOptions, PDFDataRangeTransport, type PDFDocumentProxy } from 'pdfjs-dist';
import rendererSrc from 'pdfjs-dist/build/pdf.renderer.min.mjs?url';
// Vite answers with its URL.
// oxlint-disable-next-line import/default
import workerSrc from 'pdfjs-dist/build/pdf.worker.min.mjs?url';

GlobalWorkerOptions.workerSrc = workerSrc;
GlobalWorkerOptions.rendererSrc = rendererSrc;

/** Bytes of one request; a page of text needs one or two of them. */
const RANGE_BYTES = 256 * 1024;
const DATA = import.meta.env['VITE_PDFJS_DATA'] as string;

type UrlOf = (isExpired: boolean) => Promise<string>;

async function readRange(
  urlOf: UrlOf,
  begin: number,
  end: number,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  const request = { headers: { Range: `bytes=${begin}-${end - 1}` }, signal };
  let answer = await fetch(await urlOf(false), request);
  if (answer.status === 403) answer = await fetch(await urlOf(true), request);
  if (!answer.ok) throw new Error(`the store answered ${answer.status}`);
  const bytes = new Uint8Array(await answer.arrayBuffer());
  // A store that knows no ranges sends the whole file.
  return answer.status === 206 ? bytes : bytes.subarray(begin, end);
}

/** The bytes of a PDF in the store, of which only those of the pages that are looked at are read. */
class StoredRanges extends PDFDataRangeTransport {
  readonly #urlOf: UrlOf;
  readonly #onError: (error: unknown) => void;
  readonly #stop = new AbortController();

  constructor(bytes: number, start: Uint8Array, urlOf: UrlOf, onError: (error: unknown) => void) {
    super(bytes, start);
    this.#urlOf = urlOf;
    this.#onError = onError;
  }

  override requestDataRange(begin: number, end: number): void {
    readRange(this.#urlOf, begin, end, this.#stop.signal).then(
      (chunk) => this.onDataRange(begin, chunk),
      (error: unknown) => {
        if (!this.#stop.signal.aborted) this.#onError(error);
      },
    );
  }

  override abort(): void {
    this.#stop.abort();
  }
}

/** A PDF that is open in this browser. */
export interface OpenPdf {
  document: PDFDocumentProxy;
  close: () => void;
}

/**
 * Opens a PDF without reading all of it.
 *
 * @param bytes its size
 * @param urlOf a presigned URL of it; a new one if the former has expired
 * @throws errors of the network and of the PDF
 */
export async function openPdf({ bytes, urlOf }: { bytes: number; urlOf: UrlOf }): Promise<OpenPdf> {
  // Before PDF.js is started: what it opens cannot be closed without an error while it waits for bytes.
  const start = await readRange(urlOf, 0, Math.min(bytes, RANGE_BYTES));
  const failure = Promise.withResolvers<never>();
  const range = new StoredRanges(bytes, start, urlOf, failure.reject);
  const task = getDocument({
    range,
    rangeChunkSize: RANGE_BYTES,
    disableAutoFetch: true,
    disableStream: true,
    // The policy of the pages has no `wasm-unsafe-eval`.
    useWasm: false,
    cMapUrl: `${DATA}cmaps/`,
    standardFontDataUrl: `${DATA}standard_fonts/`,
    wasmUrl: `${DATA}wasm/`,
    iccUrl: `${DATA}iccs/`,
    verbosity: 0,
  });
  const close = () => void task.destroy();
  try {
    return { document: await Promise.race([task.promise, failure.promise]), close };
  } catch (error) {
    close();
    throw error;
  }
}
