import { posix } from 'node:path';
import type { Archive } from '../archive.ts';
import { childAt, childrenOf, type MarkupElement, parseXml } from './parse-markup.ts';

/** The tree of a part of an archive, if present. @throws UnreadableDocument */
export async function xmlPart(archive: Archive, name: string): Promise<MarkupElement | undefined> {
  const text = await archive.text(name);
  return text === undefined ? undefined : parseXml(text);
}

export interface Relationship {
  id: string;
  /** The last part of its type: `worksheet`, `notesSlide`. */
  type: string;
  /** The name of the part in the archive. */
  target: string;
}

/**
 * The id of a relationship that an element refers to; empty if to none. Such attributes have a prefix, usually `r`, which
 * parts them from the element's own `id`.
 */
export function relationOf({ attributes }: MarkupElement, name = 'id'): string {
  return Object.entries(attributes).find(([key]) => key.endsWith(`:${name}`))?.[1] ?? '';
}

/** The relationships of a part of an office document to other parts of it. @throws UnreadableDocument */
export async function relationshipsOf(archive: Archive, part: string): Promise<Relationship[]> {
  const folder = posix.dirname(part);
  const root = await xmlPart(archive, posix.join(folder, '_rels', `${posix.basename(part)}.rels`));
  return childrenOf(childAt(root, 'Relationships'), 'Relationship')
    .filter(({ attributes }) => attributes['TargetMode'] !== 'External')
    .map(({ attributes: { Id: id = '', Type: type = '', Target: target = '' } }) => ({
      id,
      type: type.slice(type.lastIndexOf('/') + 1),
      target: target.startsWith('/') ? target.slice(1) : posix.join(folder, target),
    }));
}
