import type { PageContent } from '../../domain/documents/page.ts';
import type { DocumentFacts, DocumentSource, PageRaster } from './document-reader.ts';
import { openDocx } from './docx/open-docx.ts';
import { openMarkdown } from './markdown/open-markdown.ts';
import { openPdfDocument } from './pdf/pdf-document.ts';
import { openText } from './text/open-text.ts';

/** A document that is open in this process. */
export interface OpenDocument {
  inspect(): Promise<DocumentFacts>;
  readPages(profile: unknown, pageNumbers: readonly number[]): Promise<PageContent[]>;
  renderPage(pageNumber: number): Promise<PageRaster>;
  close(): Promise<void>;
}

/** @throws UnreadableDocument */
export async function openDocument({ path, type }: DocumentSource): Promise<OpenDocument> {
  switch (type) {
    case 'pdf':
      return openPdfDocument(path);
    case 'docx':
      return openDocx(path);
    case 'md':
      return openMarkdown(path);
    case 'txt':
      return openText(path);
  }
}
