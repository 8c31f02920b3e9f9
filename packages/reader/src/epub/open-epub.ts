import { type Archive, withArchive } from '../archive.ts';
import { type OpenDocument, UnreadableDocument } from '../opened-document.ts';
import { flowDocument } from '../flow/flow-document.ts';
import { divideByLength, pagesOfParts } from '../flow/paginate.ts';
import { htmlElements } from '../html/html-elements.ts';
import { LIMITS } from '../limits.ts';
import { coreProperties } from '../markup/core-properties.ts';
import { childAt, childrenOf, descendants, parseXhtml } from '../markup/parse-markup.ts';
import { xmlPart } from '../markup/xml-parts.ts';
import { CONTAINER, packageOf, partNames } from './epub-package.ts';

const ENCRYPTION = 'META-INF/encryption.xml';
const EPUB = {
  name: 'EPUB',
  /** Images, fonts, styles and recordings are never unpacked; texts may have any other name. */
  needed:
    /(?<!\.(?:jpe?g|png|gif|svgz?|webp|avif|bmp|tiff?|css|js|[ot]tf|woff2?|mp[34]|m4[abv]|aac|og[agv]|opus|wav|webm|smil|pdf))$/i,
  main: CONTAINER,
};
/** Of the book's texts, with those of older versions; many books name no type, or a wrong one. */
const TEXT_TYPES = new Set([
  'application/xhtml+xml',
  'text/html',
  'application/x-dtbook+xml',
  'text/x-oeb1-document',
]);
const TEXT_NAME = /\.(?:xhtml|html?|xml)$/i;

/** Each chapter begins a page. @throws UnreadableDocument */
export async function openEpub(path: string): Promise<OpenDocument> {
  return withArchive(path, EPUB, async (archive) => {
    const { book, path: packagePart } = await packageOf(archive);
    const items = new Map(
      childrenOf(childAt(book, 'manifest'), 'item').map(({ attributes }) => [attributes['id'], attributes]),
    );
    const encrypted = await encryptedParts(archive);
    const names = new Set(archive.names);
    const chapters = childrenOf(childAt(book, 'spine'), 'itemref').flatMap(({ attributes }) => {
      const { href, 'media-type': type = '' } = items.get(attributes['idref']) ?? {};
      const named = partNames(packagePart, href);
      if (!TEXT_TYPES.has(type.trim().toLowerCase()) && !TEXT_NAME.test(named[0])) return [];
      const name = named.find((each) => names.has(each));
      if (name === undefined) throw new UnreadableDocument('damaged', 'A part of the book is missing.');
      if (encrypted.has(name)) throw new UnreadableDocument('encrypted', 'The book is encrypted.');
      return [name];
    });
    let characters = 0;
    const pages = await pagesOfParts(chapters, async (name) => {
      const chapter = (await archive.text(name)) ?? '';
      characters += chapter.length;
      if (characters > LIMITS.textBytes)
        throw new UnreadableDocument('too_large', `The book has more than ${LIMITS.textBytes} characters.`);
      const elements = htmlElements(parseXhtml(chapter));
      return elements.length === 0 ? [] : divideByLength(elements);
    });
    return flowDocument({ pages, notes: archive.notes, ...coreProperties(childAt(book, 'metadata')) });
  });
}

/** Parts that only certain programs can read. */
async function encryptedParts(archive: Archive): Promise<Set<string>> {
  const found = [...descendants(await xmlPart(archive, ENCRYPTION), 'CipherReference')];
  return new Set(found.flatMap(({ attributes }) => partNames('', attributes['URI'])));
}
