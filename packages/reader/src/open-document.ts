import type { DocumentType } from './document/document-type.ts';
import { readingNote } from './document/document-profile.ts';
import type { DocumentFile, OpenDocument } from './opened-document.ts';
import { openPdfDocument } from './pdf/pdf-document.ts';

type Open = (path: string, profile: unknown) => Promise<OpenDocument>;

/** Each with its libraries is loaded when first needed: they take memory, and most documents are PDFs. */
const OPEN: Readonly<Record<DocumentType, Open>> = {
  pdf: openPdfDocument,
  docx: async (path) => (await import('./docx/open-docx.ts')).openDocx(path),
  txt: async (path) => (await import('./text/open-text.ts')).openText(path),
  md: async (path, profile) =>
    (await import('./markdown/open-markdown.ts')).openMarkdown(path, readingNote(profile)),
  html: async (path) => (await import('./html/open-html.ts')).openHtml(path),
  csv: async (path) => (await import('./csv/open-csv.ts')).openCsv(path),
  xlsx: async (path) => (await import('./xlsx/open-xlsx.ts')).openXlsx(path),
  pptx: async (path) => (await import('./pptx/open-pptx.ts')).openPptx(path),
  epub: async (path) => (await import('./epub/open-epub.ts')).openEpub(path),
  odt: (path) => openOdf(path, 'text'),
  ods: (path) => openOdf(path, 'spreadsheet'),
  odp: (path) => openOdf(path, 'presentation'),
  rtf: async (path) => (await import('./rtf/open-rtf.ts')).openRtf(path),
  eml: async (path) => (await import('./mail/open-eml.ts')).openEml(path),
  msg: async (path) => (await import('./mail/open-msg.ts')).openMsg(path),
  tiff: async (path) => (await import('./tiff/open-tiff.ts')).openTiff(path),
};

async function openOdf(path: string, kind: 'text' | 'spreadsheet' | 'presentation'): Promise<OpenDocument> {
  return (await import('./odf/open-odf.ts')).openOdf(path, kind);
}

/**
 * @param profile of the document, if inspected before, to open it in the same way
 * @throws UnreadableDocument
 */
export async function openDocument({ path, type }: DocumentFile, profile?: unknown): Promise<OpenDocument> {
  return OPEN[type](path, profile);
}

/** The picture of its first page that a document brings along, not decoded; null without one. */
export async function readCover(file: DocumentFile): Promise<Buffer | null> {
  return (await import('./cover.ts')).readCover(file);
}
