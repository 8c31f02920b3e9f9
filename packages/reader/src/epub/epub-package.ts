import { posix } from 'node:path';
import type { Archive } from '../archive.ts';
import { UnreadableDocument } from '../opened-document.ts';
import { childAt, descendants, type MarkupElement } from '../markup/parse-markup.ts';
import { xmlPart } from '../markup/xml-parts.ts';

/** Names the part that lists all others. */
export const CONTAINER = 'META-INF/container.xml';

/** The list of the parts of a book, and the name of the part that it is. @throws UnreadableDocument */
export async function packageOf(archive: Archive): Promise<{ book: MarkupElement; path: string }> {
  const [rootfile] = descendants(await xmlPart(archive, CONTAINER), 'rootfile');
  const path = rootfile?.attributes['full-path'] ?? '';
  const book = childAt(await xmlPart(archive, path), 'package');
  if (!book) throw new UnreadableDocument('damaged', 'The book has no list of its parts.');
  return { book, path };
}

/** The names that a reference from another part may mean in the archive: as written, and decoded. */
export function partNames(from: string, reference = ''): [asWritten: string, decoded: string] {
  const path = posix.join(posix.dirname(from), reference.split('#', 1)[0] ?? '');
  try {
    return [path, decodeURIComponent(path)];
  } catch {
    return [path, path];
  }
}
