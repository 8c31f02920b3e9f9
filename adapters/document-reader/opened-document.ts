import type { PageContent } from '../../domain/documents/page.ts';
import type { DocumentFacts, PageRaster } from './document-reader.ts';

/** A document that is open in this process. */
export interface OpenDocument {
  pageCount: number;
  inspect(): Promise<DocumentFacts>;
  readPages(profile: unknown, pageNumbers: readonly number[]): Promise<PageContent[]>;
  renderPage(pageNumber: number): Promise<PageRaster>;
  close(): Promise<void>;
}
