import { MAX_SLUG_LENGTH } from '../limits.ts';

/** Lower-case words separated by single hyphens. */
export const SLUG = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/**
 * The slug of a project created without one: derived from its name, with a number appended if that is taken.
 *
 * @param taken slugs of other projects
 */
export function slugOf(name: string, taken: ReadonlySet<string>): string {
  const words = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
  const base = cut(words.join('-'), MAX_SLUG_LENGTH) || 'project';
  if (!taken.has(base)) return base;
  for (let number = 2; ; number++) {
    const suffix = `-${number}`;
    const slug = cut(base, MAX_SLUG_LENGTH - suffix.length) + suffix;
    if (!taken.has(slug)) return slug;
  }
}

function cut(slug: string, length: number): string {
  return slug.slice(0, length).replace(/(?<!-)-+$/, '');
}
