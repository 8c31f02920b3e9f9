import { readFile } from 'node:fs/promises';
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { System } from './system.ts';

/** The plain baseline: the text of a PDF as it comes, a file of text as it is. */
export function createTextDump(): System {
  return {
    name: 'text dump',
    async extract({ type }, path) {
      if (type === 'docx') return undefined;
      const bytes = await readFile(path);
      const text = type === 'pdf' ? await dumpPdf(new Uint8Array(bytes)) : bytes.toString('utf8');
      return { text, headings: [], tables: [] };
    },
    close: async () => undefined,
  };
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
