import { type Archive, type ArchiveKind, withArchive } from './archive.ts';
import { packageOf, partNames } from './epub/epub-package.ts';
import { type DocumentFile, UnreadableDocument } from './opened-document.ts';
import { childAt, childrenOf } from './markup/parse-markup.ts';

/** A larger picture is not meant for a preview. */
const MAX_BYTES = 20 * 2 ** 20;
/** The first page as the program saw it that saved the file. Other formats, of Windows, are not decoded. */
const THUMBNAIL = /^(?:docProps\/thumbnail\.(?:jpe?g|png)|Thumbnails\/thumbnail\.png)$/i;

/**
 * The picture of its first page that a document brings along: the cover of a book, the thumbnail of an Office file. It is
 * read without the text, and is not decoded.
 *
 * @returns null if there is none, or none that can be read
 */
export async function readCover({ path, type }: DocumentFile): Promise<Buffer | null> {
  try {
    const part = type === 'epub' ? await withArchive(path, BOOK, coverPart) : THUMBNAIL;
    if (part === undefined) return null;
    return await withArchive(path, { name: 'archive', needed: part, main: part }, firstPart);
  } catch (error) {
    if (error instanceof UnreadableDocument) return null;
    throw error;
  }
}

const BOOK: ArchiveKind = { name: 'EPUB', needed: /\.(?:opf|xml)$/i, main: 'META-INF/container.xml' };

/** The part that the book names as its cover: by a property, or in older books by a name. */
async function coverPart(archive: Archive): Promise<Pick<RegExp, 'test'> | undefined> {
  const { book, path } = await packageOf(archive);
  const items = childrenOf(childAt(book, 'manifest'), 'item').map(({ attributes }) => attributes);
  const [named] = childrenOf(childAt(book, 'metadata'), 'meta').filter(
    ({ attributes }) => attributes['name'] === 'cover',
  );
  const cover =
    items.find(({ properties = '' }) => properties.split(' ').includes('cover-image')) ??
    items.find(({ id }) => id !== undefined && id === named?.attributes['content']);
  if (!cover?.['media-type']?.startsWith('image/')) return undefined;
  const names: readonly string[] = partNames(path, cover['href']);
  return { test: (name) => names.includes(name) };
}

async function firstPart({ names: [first = ''], bytes }: Archive): Promise<Buffer | null> {
  const part = await bytes(first);
  return part && part.length <= MAX_BYTES ? part : null;
}
