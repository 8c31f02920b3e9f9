import { type DocumentSource, type OpenDocument, readingNote } from './document-reader.ts';
import { openCsv } from './csv/open-csv.ts';
import { openDocx } from './docx/open-docx.ts';
import { openEpub } from './epub/open-epub.ts';
import { openHtml } from './html/open-html.ts';
import { openMarkdown } from './markdown/open-markdown.ts';
import { openPdfDocument } from './pdf/pdf-document.ts';
import { openPptx } from './pptx/open-pptx.ts';
import { openText } from './text/open-text.ts';
import { openTiff } from './tiff/open-tiff.ts';
import { openXlsx } from './xlsx/open-xlsx.ts';

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
    case 'html':
      return openHtml(path);
    case 'csv':
      return openCsv(path);
    case 'xlsx':
      return openXlsx(path);
    case 'pptx':
      return openPptx(path);
    case 'epub':
      return openEpub(path);
    case 'tiff':
      return openTiff(path);
  }
}
