import { PDFDateString } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { DocumentFacts } from '../document-reader.ts';
import { cleanText } from '../layout/clean-text.ts';
import type { Pdf } from './open-pdf.ts';

const LONGEST = 500;

/** What a PDF says about itself; most say nothing, and some wrongly. */
export async function readFacts(pdf: Pdf): Promise<Pick<DocumentFacts, 'title' | 'author' | 'createdAt'>> {
  const { info } = await pdf.getMetadata().catch(() => ({ info: {} }));
  const { Title, Author, CreationDate } = info as Partial<Record<string, unknown>>;
  const date = typeof CreationDate === 'string' ? PDFDateString.toDateObject(CreationDate) : null;
  return { title: asText(Title), author: asText(Author), createdAt: date?.toISOString() ?? null };
}

function asText(value: unknown): string | null {
  const text = typeof value === 'string' ? cleanText(value).trim().slice(0, LONGEST) : '';
  return text === '' ? null : text;
}
