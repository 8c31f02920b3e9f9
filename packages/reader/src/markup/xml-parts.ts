import { posix } from 'node:path';
import type { Archive } from '../archive.ts';
import { childAt, childrenOf, type MarkupElement, parseXml } from './parse-markup.ts';

/** Characters of the parts whose trees are kept: the layouts, charts and notes that many slides refer to. */
const KEPT_CHARACTERS = 4_000_000;
/** What even a short part counts. */
const LEAST_CHARACTERS = 1_000;

interface Kept {
  tree: MarkupElement;
  characters: number;
}

/** By archive and name, least recently used first. */
const kept = new WeakMap<Archive, Map<string, Kept>>();

/** The tree of a part of an archive, if present; one used lately is not read again. @throws UnreadableDocument */
export async function xmlPart(archive: Archive, name: string): Promise<MarkupElement | undefined> {
  const parts = kept.get(archive) ?? new Map<string, Kept>();
  kept.set(archive, parts);
  const before = parts.get(name);
  const text = before ? '' : await archive.text(name);
  if (text === undefined) return undefined;
  const part = before ?? { tree: parseXml(text), characters: Math.max(LEAST_CHARACTERS, text.length) };
  parts.delete(name);
  parts.set(name, part);
  let characters = before ? 0 : [...parts.values()].reduce((sum, each) => sum + each.characters, 0);
  for (const [oldest, each] of parts) {
    if (characters <= KEPT_CHARACTERS) break;
    parts.delete(oldest);
    characters -= each.characters;
  }
  return part.tree;
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
  return (await allRelationshipsOf(archive, part))
    .filter(({ attributes }) => attributes['TargetMode'] !== 'External')
    .map(({ attributes: { Id: id = '', Type: type = '', Target: target = '' } }) => ({
      id,
      type: type.slice(type.lastIndexOf('/') + 1),
      target: target.startsWith('/') ? target.slice(1) : posix.join(folder, target),
    }));
}

/** The addresses outside the document that a part of it links to, by the id of their relationship. @throws UnreadableDocument */
export async function targetsOf(archive: Archive, part: string): Promise<Map<string, string>> {
  const outside = (await allRelationshipsOf(archive, part)).filter(
    ({ attributes }) => attributes['TargetMode'] === 'External',
  );
  return new Map(outside.map(({ attributes: { Id = '', Target = '' } }) => [Id, Target]));
}

async function allRelationshipsOf(archive: Archive, part: string): Promise<MarkupElement[]> {
  const root = await xmlPart(
    archive,
    posix.join(posix.dirname(part), '_rels', `${posix.basename(part)}.rels`),
  );
  return childrenOf(childAt(root, 'Relationships'), 'Relationship');
}
