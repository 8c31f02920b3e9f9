import { lengthOf, part, plainText } from '../document/element.ts';
import { detectLanguage } from '../language.ts';
import { withCaptions } from '../layout/captions.ts';
import { checkPageCount, LIMITS } from '../limits.ts';
import {
  type DocumentFacts,
  type OpenDocument,
  type PageRaster,
  UnreadableDocument,
} from '../opened-document.ts';
import { divideByLength, makePages, type FlowElement, type PageDivision } from './paginate.ts';

export interface FlowContent extends Partial<Pick<DocumentFacts, 'title' | 'author' | 'createdAt'>> {
  /** By the document's own page breaks, if it has any. */
  pages: readonly (readonly FlowElement[])[];
  /** Whether pages are numbered by the document, as slides are, so that one without content stays in its place. */
  numbered?: boolean;
  /** The bytes of a picture that figures name; without it, none is recognised. */
  openPicture?: (name: string) => Promise<Uint8Array | undefined>;
  /** What its readers should know: of its encoding, of parts that were not read. */
  notes?: Iterable<string | undefined>;
}

/** A note is read by people. */
const LONGEST_NOTE = 1_000;
/** White space, and invisible characters such as zero-width spaces. */
const INVISIBLE = /^[\p{Z}\p{C}\s]*$/u;

/**
 * A document that is read whole, as it has no pages to seek. Its profile records how its pages were made; pages without
 * visible content are dropped, unless the document numbers them.
 *
 * @throws UnreadableDocument if it has no content at all, too many pages, or one that is too long
 */
export function flowDocument({
  pages: given,
  numbered = false,
  notes = [],
  openPicture,
  ...facts
}: FlowContent): OpenDocument {
  const bounded = given.map((page) => page.flatMap(divideElement));
  const scanOf = (page: readonly FlowElement[]): string | undefined => openPicture && scanOn(page);
  const visible = bounded.filter((page) => page.some(isVisible));
  // Scans without page breaks between them are pages.
  const own = numbered
    ? visible
    : visible.flatMap((page) => (openPicture && page.every(isPicture) ? page.map((each) => [each]) : [page]));
  if (own.length === 0) throw new UnreadableDocument('empty', 'The document has no text.');
  const characters = bounded.reduce((sum, page) => sum + charactersOf(page), 0);
  if (characters > LIMITS.flowCharacters)
    throw new UnreadableDocument('too_large', `The pages of the document have ${characters} characters.`);
  const division: PageDivision = numbered || own.length > 1 ? 'page_breaks' : 'length';
  const divided = numbered ? bounded : own.length > 1 ? own.flatMap(dividePage) : divideByLength(own.flat());
  checkPageCount(divided.length);
  const longest = divided.reduce((most, page) => Math.max(most, charactersOf(page)), 0);
  if (longest > LIMITS.pageCharacters)
    throw new UnreadableDocument('too_large', `A page of the document has ${longest} characters.`);
  const pages = makePages(divided, 'document');
  const scans = new Map(
    divided.flatMap((page, at): [number, string][] => {
      const picture = scanOf(page);
      return picture === undefined ? [] : [[at + 1, picture]];
    }),
  );
  const pictures = own.filter(
    (page) => page.every((each) => each.type === 'figure') && scanOf(page) === undefined,
  ).length;
  const unread =
    pictures > 0 ? `Text in pictures was not read; ${pictures} page(s) have nothing else.` : undefined;
  const note = [...new Set([...notes, unread])]
    .filter((each) => each !== undefined)
    .join(' ')
    .slice(0, LONGEST_NOTE);
  const sample = own.flat().slice(0, 200).map(plainText).join(' ');
  return {
    pageCount: pages.length,
    inspect: async () => ({
      pageCount: pages.length,
      title: facts.title ?? null,
      author: facts.author ?? null,
      createdAt: facts.createdAt ?? null,
      language: detectLanguage(sample),
      pagesToRecognise: [...scans.keys()],
      profile: { pages: division, ...(note !== '' && { note }) },
    }),
    readPages: async (_, pageNumbers) =>
      pageNumbers.map((number) => {
        const page = pages[number - 1];
        if (!page) throw new UnreadableDocument('damaged', `The document has no page ${number}.`);
        const language = detectLanguage(page.elements.map(plainText).join(' '));
        return { ...page, elements: withCaptions(page.elements), language };
      }),
    renderPage: async (number) => {
      const bytes = await openPicture?.(scans.get(number) ?? '');
      if (bytes) return rasterOf(bytes);
      throw new UnreadableDocument('damaged', 'A document without a layout has no image of its pages.');
    },
    close: async () => undefined,
  };
}

/** Pictures that can be recognised; drawings of Office programs are not. */
const PICTURE = /\.(?:png|jpe?g|tiff?|gif|webp)$/i;
const isPicture = ({ type, picture = '' }: FlowElement): boolean =>
  type === 'figure' && PICTURE.test(picture);

/** The picture on a page that has nothing else. */
function scanOn(page: readonly FlowElement[]): string | undefined {
  const [only, ...others] = page;
  return only && others.length === 0 && isPicture(only) ? only.picture : undefined;
}

async function rasterOf(bytes: Uint8Array): Promise<PageRaster> {
  // Few documents have scans.
  const [{ default: sharp }, { headerOf, MAX_PIXELS, rasterOfScan }] = await Promise.all([
    import('sharp'),
    import('../ocr-layout/raster-of-scan.ts'),
  ]);
  const open = () => sharp(bytes, { failOn: 'none', limitInputPixels: MAX_PIXELS });
  return rasterOfScan(open(), await headerOf(open()));
}

/** What is between two page breaks, as several pages if it is longer than one may be. */
function dividePage(page: readonly FlowElement[]): readonly (readonly FlowElement[])[] {
  return charactersOf(page) > LIMITS.pageCharacters ? divideByLength(page) : [page];
}

/** A list or a text that is longer than a page may be, as several; texts end at a space if they have one. */
function divideElement(element: FlowElement): FlowElement[] {
  if (lengthOf(element) <= LIMITS.pageCharacters) return [element];
  if (element.type === 'list' && element.items.length > 1) {
    const half = Math.ceil(element.items.length / 2);
    const halves = [element.items.slice(0, half), element.items.slice(half)];
    return halves.flatMap((items) => divideElement({ ...element, items }));
  }
  if (!('content' in element)) return [element];
  const { content } = element;
  const parts: FlowElement[] = [];
  for (let from = 0; from < content.length;) {
    const most = from + LIMITS.pageCharacters;
    const space = most < content.length ? content.lastIndexOf(' ', most) : most;
    let to = space > from ? space : most;
    if ((content.codePointAt(to - 1) ?? 0) > 0xffff) to -= 1;
    parts.push(part(element, from, to));
    from = to;
  }
  return parts;
}

function charactersOf(page: readonly FlowElement[]): number {
  return page.reduce((sum, element) => sum + lengthOf(element), 0);
}

function isVisible(element: FlowElement): boolean {
  return element.type === 'figure' || element.type === 'table' || !INVISIBLE.test(plainText(element));
}
