import { z } from 'zod';
import type { ItemAttributes } from '../../domain/imports.ts';
import { CONTENT_CATEGORIES } from '../../domain/content-categories.ts';
import { MAX_TITLE_LENGTH } from '../../domain/limits.ts';
import { MAX_LINK_LENGTH } from '../../domain/links/web-link.ts';
import { optional, tagList, text as boundedText } from '../../domain/schemas/text.ts';
import { printable } from '../../domain/text.ts';

/** A valid line, as JSON. */
const manifestRow = z.strictObject({
  url: z.url({ protocol: /^https?$/ }).max(MAX_LINK_LENGTH),
  title: optional(boundedText(MAX_TITLE_LENGTH)),
  tags: optional(tagList),
  folder_id: optional(z.guid().toLowerCase()),
  content_category: optional(z.enum(CONTENT_CATEGORIES)),
});

/** A line of a manifest. */
export interface ManifestLine {
  /** Its URL, or its number if it is not valid. */
  key: string;
  attributes?: ItemAttributes;
  /** Why it is not valid. */
  problem?: string;
}

/** Reads lines of JSON; every line of the text has a result, so that they can be counted. */
export function readManifest({ text, firstLine }: { text: string; firstLine: number }): ManifestLine[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line, at) => readLine(line, firstLine + at));
}

function readLine(line: string, number: number): ManifestLine {
  const key = `line ${number}`;
  let value: unknown;
  try {
    value = JSON.parse(line.startsWith('\uFEFF') ? line.slice(1) : line);
  } catch {
    return { key, problem: line.trim() === '' ? 'the line is empty' : 'the line is not JSON' };
  }
  const { data, error } = manifestRow.safeParse(value);
  if (!data) return { key, problem: printable(z.prettifyError(error), 300) };
  const { url, title, tags, folder_id: folderId, content_category: contentCategory } = data;
  return {
    key: url,
    attributes: {
      ...(title && { title }),
      ...(tags && { tags }),
      ...(folderId && { folderId }),
      ...(contentCategory && { contentCategory }),
    },
  };
}
