import { readFile } from 'node:fs/promises';
import { extractRawText } from 'mammoth';
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { DocumentType } from 'darkroom-reader/document';
import type { System } from './system.ts';

/** The baseline: the text of a PDF in stored order, and text files unchanged. */
export function createTextDump(): System {
  return {
    name: 'text dump',
    async extract({ type }, path) {
      if (type === 'docx') return undefined;
      return { text: await dump(type, path), headings: [], tables: [] };
    },
    close: async () => undefined,
  };
}

async function dump(type: DocumentType, path: string): Promise<string> {
  const bytes = await readFile(path);
  if (type === 'pdf') return dumpPdf(new Uint8Array(bytes));
  if (type === 'docx') return (await extractRawText({ path })).value;
  return bytes.toString('utf8');
}

async function dumpPdf(data: Uint8Array): Promise<string> {
  const loading = getDocument({ data, verbosity: 0 });
  const pdf = await loading.promise;
  let text = '';
  for (let number = 1; number <= pdf.numPages; number++) {
    const { items } = await (await pdf.getPage(number)).getTextContent();
    for (const item of items) if ('str' in item) text += item.str + (item.hasEOL ? '\n' : '');
    text += '\n';
  }
  await loading.destroy();
  return text;
}
