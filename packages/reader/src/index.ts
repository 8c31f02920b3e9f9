/**
 * Recognised words into pages of structured elements, and what readers say of a document. It loads no format:
 * `darkroom-reader/open` opens documents, and `darkroom-reader/document` has what they consist of.
 */
export { LIMITS, markdownBudgetMs } from './limits.ts';
export { relativeBox, type QuarterTurns } from './layout/geometry.ts';
export {
  UnreadableDocument,
  type Attachment,
  type DocumentFacts,
  type DocumentFile,
  type OpenDocument,
  type PageBounds,
  type PageDrawing,
  type PageImage,
  type PageLook,
  type PagePicture,
  type PageRaster,
  type PageWithLines,
  type RecognisedWord,
  type UnreadableReason,
} from './opened-document.ts';
export { arrangeLines } from './ocr-layout/arrange-lines.ts';
export { layOutWords } from './ocr-layout/lay-out-words.ts';
export { mostInkedPart } from './ocr-layout/most-inked-part.ts';
export { recogniseUpright, turnUpright } from './ocr-layout/recognise-upright.ts';
export { settlePages } from './ocr-layout/settle-pages.ts';
export { turnBack } from './ocr-layout/turn-raster.ts';
