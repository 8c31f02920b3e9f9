/**
 * The PDF engine, PDFium as WebAssembly: a memory of its own, and no access to files, clocks of others or the network.
 * Its functions take and return numbers; results of several numbers are written to a part of its memory, read here by
 * `float`, `double` and `int`.
 */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { init } from '@embedpdf/pdfium';

/** The functions in use, with the arguments of PDFium's public headers. Handles and addresses are numbers; 0 is none. */
type FunctionName =
  | 'malloc'
  | 'free'
  | 'PDFiumExt_Init'
  | 'FPDF_LoadMemDocument'
  | 'FPDF_GetLastError'
  | 'FPDF_GetPageCount'
  | 'FPDF_GetPageSizeByIndexF'
  | 'FPDF_GetMetaText'
  | 'FPDFBookmark_GetFirstChild'
  | 'FPDFBookmark_GetNextSibling'
  | 'FPDFBookmark_GetTitle'
  | 'FPDFBookmark_GetDest'
  | 'FPDFBookmark_GetAction'
  | 'FPDFAction_GetDest'
  | 'FPDFDest_GetDestPageIndex'
  | 'FPDF_LoadPage'
  | 'FPDF_ClosePage'
  | 'FPDF_GetPageWidthF'
  | 'FPDF_GetPageHeightF'
  | 'FPDF_GetPageBoundingBox'
  | 'FPDFPage_GetRotation'
  | 'FPDFPage_CountObjects'
  | 'FPDFPage_GetObject'
  | 'FPDFFormObj_CountObjects'
  | 'FPDFFormObj_GetObject'
  | 'FPDFPageObj_GetType'
  | 'FPDFPageObj_GetMatrix'
  | 'FPDFPageObj_GetFillColor'
  | 'FPDFPageObj_GetClipPath'
  | 'FPDFClipPath_CountPaths'
  | 'FPDFClipPath_CountPathSegments'
  | 'FPDFClipPath_GetPathSegment'
  | 'FPDFPath_GetDrawMode'
  | 'FPDFPath_CountSegments'
  | 'FPDFPath_GetPathSegment'
  | 'FPDFPathSegment_GetPoint'
  | 'FPDFPathSegment_GetType'
  | 'FPDFPathSegment_GetClose'
  | 'FPDFText_LoadPage'
  | 'FPDFText_ClosePage'
  | 'FPDFText_CountChars'
  | 'FPDFText_GetText'
  | 'FPDFText_GetUnicode'
  | 'FPDFText_HasUnicodeMapError'
  | 'FPDFText_IsGenerated'
  | 'FPDFText_GetTextObject'
  | 'FPDFText_GetMatrix'
  | 'FPDFText_GetFontSize'
  | 'FPDFText_GetLooseCharBox'
  | 'FPDFText_GetCharOrigin'
  | 'FPDFTextObj_GetFont'
  | 'FPDFTextObj_GetTextRenderMode'
  | 'FPDFFont_GetBaseFontName'
  | 'FPDFFont_GetFlags'
  | 'FPDFFont_GetWeight'
  | 'FPDFFont_GetIsEmbedded'
  | 'FPDFFont_GetGlyphWidth'
  | 'FPDFFont_GetFontData'
  | 'FPDFBitmap_CreateEx'
  | 'FPDFBitmap_FillRect'
  | 'FPDFBitmap_GetBuffer'
  | 'FPDFBitmap_GetStride'
  | 'FPDFBitmap_Destroy'
  | 'FPDF_RenderPageBitmap'
  | 'FPDF_GetFormType'
  | 'FPDF_GetXFAPacketCount'
  | 'FPDF_GetXFAPacketName'
  | 'FPDF_GetXFAPacketContent'
  | 'FPDFPage_GetAnnotCount'
  | 'FPDFPage_GetAnnot'
  | 'FPDFPage_CloseAnnot'
  | 'EPDFAnnot_HasAppearanceStream'
  | 'EPDFAnnot_ExportAppearanceAsDocument'
  | 'FPDFAnnot_GetSubtype'
  | 'FPDFAnnot_GetFlags'
  | 'FPDFAnnot_GetRect'
  | 'FPDFAnnot_GetStringValue'
  | 'FPDFAnnot_GetFormFieldType'
  | 'FPDFAnnot_GetFormFieldFlags'
  | 'FPDFAnnot_GetFormFieldValue'
  | 'FPDFAnnot_GetFontSize'
  | 'FPDFAnnot_IsChecked'
  | 'FPDFAnnot_GetOptionCount'
  | 'FPDFAnnot_GetOptionLabel'
  | 'FPDFAnnot_IsOptionSelected'
  | 'FPDFPageObj_CountMarks'
  | 'FPDFPageObj_GetMark'
  | 'FPDFPageObj_SetIsActive'
  | 'FPDFPageObjMark_GetName'
  | 'FPDFPageObj_GetMarkedContentID'
  | 'FPDFLink_Enumerate'
  | 'FPDFLink_GetAction'
  | 'FPDFLink_GetAnnotRect'
  | 'FPDFAction_GetType'
  | 'FPDFAction_GetURIPath'
  | 'FPDFText_GetBoundedText'
  | 'FPDF_StructTree_GetForPage'
  | 'FPDF_StructTree_Close'
  | 'FPDF_StructTree_CountChildren'
  | 'FPDF_StructTree_GetChildAtIndex'
  | 'FPDF_StructElement_GetType'
  | 'FPDF_StructElement_CountChildren'
  | 'FPDF_StructElement_GetChildAtIndex'
  | 'FPDF_StructElement_GetChildMarkedContentID'
  | 'FPDF_StructElement_GetAttributeCount'
  | 'FPDF_StructElement_GetAttributeAtIndex'
  | 'FPDF_StructElement_Attr_GetValue'
  | 'FPDF_StructElement_Attr_GetNumberValue'
  | 'FPDFPageObjMark_GetParamStringValue'
  | 'PDFiumExt_OpenFormFillInfo'
  | 'PDFiumExt_InitFormFillEnvironment'
  | 'FPDF_SetFormFieldHighlightAlpha'
  | 'FORM_OnAfterLoadPage'
  | 'FORM_OnBeforeClosePage'
  | 'FPDF_FFLDraw'
  | 'FPDF_CreateNewDocument'
  | 'FPDF_CloseDocument'
  | 'FPDF_ImportPagesByIndex'
  | 'PDFiumExt_OpenFileWriter'
  | 'PDFiumExt_GetFileWriterSize'
  | 'PDFiumExt_GetFileWriterData'
  | 'PDFiumExt_SaveAsCopy'
  | 'PDFiumExt_CloseFileWriter';
type Exports = Record<FunctionName, (...args: number[]) => number>;

/** What the language's types lack of WebAssembly. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: object) => { exports: object };
};

export interface Pdfium extends Exports {
  /** Address of the n-th word of 4 bytes for results. */
  at(word: number): number;
  float(word: number): number;
  double(word: number): number;
  int(word: number): number;
  /** Bytes of the engine's memory, valid until its next call. */
  bytes(address: number, length: number): Uint8Array;
  /** The bytes that a function writes to a buffer: it returns how many, also if they do not fit. None if they are too many. */
  written(write: (buffer: number, length: number) => number): Buffer;
}

const RESULT_BYTES = 1 << 14;
/** Words of results before the buffer for text. */
const RESULT_WORDS = 64;

const LONGEST_WRITTEN = 4_000_000;

let compiled: Promise<object> | undefined;

/** A new engine: each document has its own, so that what one does to its memory harms no other. */
export async function createPdfium(): Promise<Pdfium> {
  compiled ??= readFile(fileURLToPath(import.meta.resolve('@embedpdf/pdfium/pdfium.wasm'))).then(
    (bytes) => new WebAssembly.Module(bytes),
  );
  const module = await compiled;
  const { pdfium } = await init({
    print: () => undefined,
    printErr: () => undefined,
    instantiateWasm(imports: object, done: (instance: object, module: object) => void) {
      const instance = new WebAssembly.Instance(module, imports);
      done(instance, module);
      return instance.exports;
    },
  });
  const exports = pdfium.wasmExports as unknown as Exports & { memory: { buffer: ArrayBuffer } };
  exports.PDFiumExt_Init();
  const results = exports.malloc(RESULT_BYTES);
  let [bytes, floats, doubles, ints] = viewsOf(exports.memory.buffer);
  /** Views end when the memory grows. */
  const refresh = (): void => void ([bytes, floats, doubles, ints] = viewsOf(exports.memory.buffer));
  const textAt = results + RESULT_WORDS * 4;
  const textBytes = RESULT_BYTES - RESULT_WORDS * 4;
  const bytesAt = (address: number, length: number): Uint8Array => {
    if (bytes.length === 0) refresh();
    return bytes.subarray(address, address + length);
  };
  return {
    ...exports,
    at: (word) => results + word * 4,
    float(word) {
      if (floats.length === 0) refresh();
      return floats[results / 4 + word] ?? 0;
    },
    double(word) {
      if (doubles.length === 0) refresh();
      return doubles[results / 8 + word / 2] ?? 0;
    },
    int(word) {
      if (ints.length === 0) refresh();
      return ints[results / 4 + word] ?? 0;
    },
    bytes: bytesAt,
    written(write) {
      const length = write(textAt, textBytes);
      if (length <= textBytes) return Buffer.from(bytesAt(textAt, length));
      const buffer = length > LONGEST_WRITTEN ? 0 : exports.malloc(length);
      if (buffer === 0) return Buffer.alloc(0);
      const result = Buffer.from(bytesAt(buffer, Math.min(length, write(buffer, length))));
      exports.free(buffer);
      return result;
    },
  };
}

const viewsOf = (buffer: ArrayBuffer) =>
  [
    new Uint8Array(buffer),
    new Float32Array(buffer),
    new Float64Array(buffer),
    new Int32Array(buffer),
  ] as const;
