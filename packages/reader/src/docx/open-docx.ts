import { partOf, withArchive } from '../archive.ts';
import type { OpenDocument } from '../opened-document.ts';
import { flowDocument } from '../flow/flow-document.ts';
import { cleanText } from '../layout/plain-text.ts';
import { child, type XmlNode } from '../xml.ts';
import { docxPages } from './docx-elements.ts';
import { DOCX, readPackage } from './docx-package.ts';

/** @throws UnreadableDocument */
export async function openDocx(path: string): Promise<OpenDocument> {
  const { docx, notes } = await withArchive(path, DOCX, async (archive) => ({
    docx: await readPackage(archive),
    notes: archive.notes,
  }));
  return flowDocument({
    pages: docxPages(docx),
    notes,
    openPicture: (name) => partOf(path, name),
    title: property(docx.properties, 'dc:title'),
    author: property(docx.properties, 'dc:creator'),
    createdAt: dateOf(property(docx.properties, 'dcterms:created')),
  });
}

/** Longer ones are not meant for people. */
const LONGEST_PROPERTY = 500;

function property(core: XmlNode | undefined, name: string): string | null {
  const text = cleanText(child(core, name)?.text ?? '').trim();
  return text !== '' && text.length <= LONGEST_PROPERTY ? text : null;
}

function dateOf(text: string | null): string | null {
  const date = new Date(text ?? '');
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}
