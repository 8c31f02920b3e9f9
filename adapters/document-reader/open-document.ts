import { type DocumentSource, type OpenDocument, readingNote } from './document-reader.ts';
import { openDocx } from './docx/open-docx.ts';
import { openMarkdown } from './markdown/open-markdown.ts';
import { openPdfDocument } from './pdf/pdf-document.ts';
import { openText } from './text/open-text.ts';

/**
 * @param profile of the document, if inspected before, to open it in the same way
 * @throws UnreadableDocument
 */
export async function openDocument(
  { path, type }: Pick<DocumentSource, 'path' | 'type'>,
  profile?: unknown,
): Promise<OpenDocument> {
  switch (type) {
    case 'pdf':
      return openPdfDocument(path);
    case 'docx':
      return openDocx(path);
    case 'md':
      return openMarkdown(path, readingNote(profile) !== null);
    case 'txt':
      return openText(path);
  }
}
