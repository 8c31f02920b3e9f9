/**
 * The public interface of the document reader: PDF, Word, Markdown and plain text into pages of structured elements.
 * All other files of this folder are internal. See README.md.
 */
export { createDocumentReader } from './create-document-reader.ts';
export {
  ReaderClosed,
  ReaderCrashed,
  UnreadableDocument,
  type DocumentFacts,
  type DocumentReader,
  type DocumentSource,
  type PageImage,
  type PageRaster,
  type PageWithLines,
  type RecognisedWord,
  type UnreadableReason,
} from './document-reader.ts';
export { readingBudget, totalBudgetMs } from './reading-budget.ts';
export { relativeBox } from './layout/geometry.ts';
export { arrangeLines } from './ocr-layout/arrange-lines.ts';
export { layOutWords } from './ocr-layout/lay-out-words.ts';
export { mostInkedPart } from './ocr-layout/most-inked-part.ts';
export { recogniseUpright } from './ocr-layout/recognise-upright.ts';
export { settlePages } from './ocr-layout/settle-pages.ts';
export { turnBack } from './ocr-layout/turn-raster.ts';
