import type { DocumentSource } from './document-reader.ts';
import { openDocx } from './docx/open-docx.ts';
import { openMarkdown } from './markdown/open-markdown.ts';
import type { OpenDocument } from './opened-document.ts';
import { openPdfDocument } from './pdf/pdf-document.ts';
import { openText } from './text/open-text.ts';

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
