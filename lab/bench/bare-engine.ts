/**
 * Prints the seconds that pdf.js alone takes for the text of all pages of a PDF, optionally with their drawing
 * operators.
 */
import { readFile } from 'node:fs/promises';
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';

const [path = '', what] = process.argv.slice(2);
const data = new Uint8Array(await readFile(path));
const pdf = await getDocument({ data, verbosity: 0 }).promise;
await (await pdf.getPage(1)).getTextContent();
const start = performance.now();
for (let number = 1; number <= pdf.numPages; number++) {
  const page = await pdf.getPage(number);
  await page.getTextContent();
  if (what === 'operators') await page.getOperatorList();
  page.cleanup();
}
console.log((performance.now() - start) / 1000);
