import { z } from 'zod';
import { CONTENT_CATEGORIES } from '../content-categories.ts';
import { MAX_TITLE_LENGTH } from '../limits.ts';
import { MAX_LINK_LENGTH } from '../links/web-link.ts';
import { optional, tagList, text } from './text.ts';

/** A line of the manifest of an import, as JSON. */
export const manifestRow = z.strictObject({
  url: z.url({ protocol: /^https?$/ }).max(MAX_LINK_LENGTH),
  title: optional(text(MAX_TITLE_LENGTH)),
  tags: optional(tagList),
  folder_id: optional(z.guid().toLowerCase()),
  content_category: optional(z.enum(CONTENT_CATEGORIES)),
});
