import { posix } from 'node:path';
import { type Archive, withArchive } from '../archive.ts';
import { type OpenDocument, UnreadableDocument } from '../document-reader.ts';
import { flowDocument } from '../flow/flow-document.ts';
import { divideByLength, type FlowElement } from '../flow/paginate.ts';
import { htmlElements } from '../html/html-elements.ts';
import { LIMITS } from '../limits.ts';
import { coreProperties } from '../markup/core-properties.ts';
import { childAt, childrenOf, descendants, parseHtml } from '../markup/parse-markup.ts';
import { xmlPart } from '../markup/xml-parts.ts';

const CONTAINER = 'META-INF/container.xml';
const ENCRYPTION = 'META-INF/encryption.xml';
const EPUB = {
  name: 'EPUB',
  /** Images, fonts and styles are never unpacked. */
  needed: /^META-INF\/(?:container|encryption)\.xml$|\.(?:opf|xhtml|html|htm|xml)$/i,
  main: CONTAINER,
};

/** Each chapter begins a page. @throws UnreadableDocument */
export async function openEpub(path: string): Promise<OpenDocument> {
  return withArchive(path, EPUB, async (archive) => {
    const [rootfile] = descendants(await xmlPart(archive, CONTAINER), 'rootfile');
    const packagePart = rootfile?.attributes['full-path'] ?? '';
    const book = childAt(await xmlPart(archive, packagePart), 'package');
    if (!book) throw new UnreadableDocument('damaged', 'The book has no list of its parts.');
    const files = new Map(
      childrenOf(childAt(book, 'manifest'), 'item').map(({ attributes }) => [
        attributes['id'],
        partName(packagePart, attributes['href']),
      ]),
    );
    const encrypted = await encryptedParts(archive);
    const pages: FlowElement[][] = [];
    let characters = 0;
    const spine = childrenOf(childAt(book, 'spine'), 'itemref').map(({ attributes }) => attributes['idref']);
    // A part is read once, however often it is named.
    for (const name of new Set(spine.map((id) => files.get(id)))) {
      if (name === undefined) continue;
      if (encrypted.has(name)) throw new UnreadableDocument('encrypted', 'The book is encrypted.');
      const chapter = await archive.text(name);
      if (chapter === undefined) continue;
      characters += chapter.length;
      if (characters > LIMITS.textBytes)
        throw new UnreadableDocument('too_large', `The book has more than ${LIMITS.textBytes} characters.`);
      pages.push(...divideByLength(htmlElements(parseHtml(chapter))));
    }
    return flowDocument({ pages, ...coreProperties(childAt(book, 'metadata')) });
  });
}

/** Parts that only certain programs can read. */
async function encryptedParts(archive: Archive): Promise<Set<string>> {
  const found = [...descendants(await xmlPart(archive, ENCRYPTION), 'CipherReference')];
  return new Set(found.map(({ attributes }) => partName('', attributes['URI'])));
}

/** The name in the archive of a reference from another part. */
function partName(from: string, reference = ''): string {
  const path = reference.split('#', 1)[0] ?? '';
  try {
    return posix.join(posix.dirname(from), decodeURIComponent(path));
  } catch {
    return posix.join(posix.dirname(from), path);
  }
}
