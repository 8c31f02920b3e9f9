/** Prints the seconds that the bare engine takes for the text of all pages of a PDF. */
import { readFile } from 'node:fs/promises';
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';

const data = new Uint8Array(await readFile(process.argv[2] ?? ''));
const pdf = await getDocument({ data, verbosity: 0 }).promise;
await (await pdf.getPage(1)).getTextContent();
const start = performance.now();
for (let number = 1; number <= pdf.numPages; number++) {
  const page = await pdf.getPage(number);
  await page.getTextContent();
  page.cleanup();
}
console.log((performance.now() - start) / 1000);
