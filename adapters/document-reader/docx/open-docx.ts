import mammoth from 'mammoth';
import { UnreadableDocument } from '../document-reader.ts';
import { flowDocument } from '../flow/flow-document.ts';
import { cleanText } from '../layout/clean-text.ts';
import type { OpenDocument } from '../opened-document.ts';
import { checkArchive } from './check-archive.ts';
import { docxPages } from './docx-elements.ts';
import { marginElements } from './docx-margins.ts';
import { unescapeXml, type DocxRoot } from './docx-nodes.ts';

/** @throws UnreadableDocument */
export async function openDocx(path: string): Promise<OpenDocument> {
  const { core, headers, footers } = await checkArchive(path);
  const pages = docxPages(await readRoot(path));
  // Which pages have them is for the program that lays the document out.
  pages[0]?.unshift(...marginElements(headers, 'page_header'));
  pages.at(-1)?.push(...marginElements(footers, 'page_footer'));
  return flowDocument({
    pages,
    title: property(core, 'dc:title'),
    author: property(core, 'dc:creator'),
    createdAt: dateOf(property(core, 'dcterms:created')),
  });
}

/** mammoth writes HTML from a model that it lets others change; the model is all that is wanted. */
async function readRoot(path: string): Promise<DocxRoot> {
  let root: DocxRoot | undefined;
  try {
    await mammoth.convertToHtml(
      { path },
      {
        transformDocument: (document: DocxRoot) => {
          root = document;
          return { ...document, children: [] };
        },
        externalFileAccess: false,
      },
    );
  } catch (cause) {
    throw new UnreadableDocument('damaged', 'The document is damaged or not a DOCX.', { cause });
  }
  if (!root) throw new UnreadableDocument('damaged', 'The document has no content.');
  return root;
}

/** Of a small document of known form: no parser is needed to find one name in it. */
function property(core: string | undefined, name: string): string | null {
  const [, ...elements] = (core ?? '').split(`<${name}`);
  const text = elements.map((element) => CONTENT.exec(element)?.[1]?.trim()).find(Boolean);
  return text ? cleanText(unescapeXml(text)) : null;
}

/** Of an element, after its name. */
const CONTENT = /^(?:\s[^>]*)?>([^<]{1,500})<\//;

function dateOf(text: string | null): string | null {
  const date = new Date(text ?? '');
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}
