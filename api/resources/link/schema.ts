import { z } from 'zod';
import { MAX_LINK_LENGTH, normalizeLink } from '../../../domain/links/web-link.ts';
import { MAX_TITLE_LENGTH } from '../../../domain/limits.ts';
import { optional, optionalWith, tagList, text } from '../../../domain/schemas/text.ts';
import { TIER_LIMITS } from '../../../domain/accounts/tiers.ts';
import { contentCategoryOfFile, medium, storage } from '../enums.ts';
import { fileId } from '../fields.ts';
import { webhookAnswerFields, webhookBodyFields } from '../request-webhook.ts';

/** Normalisation escapes characters that URLs may not contain, so the result may be longer than the input. */
const LINK_RULE = `must be an http or https URL without credentials, of at most ${MAX_LINK_LENGTH} characters when escaped`;

/** A web URL, normalised so that equal pages are found. */
const linkUrl = z
  .string()
  .trim()
  .max(MAX_LINK_LENGTH, `at most ${MAX_LINK_LENGTH} characters`)
  .transform((given, context) => {
    const url = normalizeLink(given);
    if (url !== undefined) return url;
    context.addIssue({ code: 'custom', message: LINK_RULE });
    return z.NEVER;
  })
  .meta({
    override: { type: 'string', format: 'uri', maxLength: MAX_LINK_LENGTH, pattern: '^[hH][tT][tT][pP]' },
    description:
      'URL of a page, or of a document or image, which becomes a file of that medium. Fragments and the ' +
      'tracking parameters are dropped',
  });

const ownFields = {
  url: linkUrl,
  title: optional(text(MAX_TITLE_LENGTH)).describe('Title; by default that of the page'),
  tags: optionalWith(tagList, []).describe('Keywords'),
};

const sharedFields = {
  auto_describe: optionalWith(z.boolean(), true).describe('Whether a model describes the page'),
  skip_duplicates: optionalWith(z.boolean(), false).meta({
    description: 'Return the existing link if there is one to the same page',
  }),
  storage_target: optionalWith(storage, 'default').describe(
    'The object store: `default`, or `custom` for the bucket of your own',
  ),
  folder_id: optional(z.guid().toLowerCase()).describe('Folder of the link; by default the root'),
  project_id: optional(z.guid().toLowerCase()).describe(
    'Project whose root folder is used if there is no `folder_id`',
  ),
  content_category: optional(contentCategoryOfFile).describe(
    'Category of the content; by default that of the project, otherwise `general`',
  ),
  ...webhookBodyFields,
};

export const linkBody = z.strictObject({ ...ownFields, ...sharedFields });
export type LinkBody = z.output<typeof linkBody>;

const MOST_LINKS = Math.max(...Object.values(TIER_LIMITS).map(({ filesPerBatch }) => filesPerBatch));

export const linkBatchBody = z.strictObject({
  links: z
    .array(z.strictObject(ownFields).meta({ id: 'NewLink' }))
    .min(1)
    .max(MOST_LINKS)
    .describe('The links; those beyond the limit of the tier are rejected'),
  ...sharedFields,
});
export type LinkBatchBody = z.output<typeof linkBatchBody>;

export const linkAnswer = z
  .object({
    file_id: fileId,
    media_type: medium.describe('`link`; changes if the URL turns out to serve another medium'),
    status: z.enum(['processing', 'skipped']).describe('`skipped` for a link that already exists'),
    existing_file_id: z.uuid().nullable().describe('The existing link; null if this one is new'),
    source_url: z.url().describe('The URL as stored'),
    status_url: z.string().describe('Path of the file'),
    processing_status_url: z.string().describe('Path of the status of its components'),
    websocket_channel: z.string().describe('Name of the live channel of the file'),
    ...webhookAnswerFields,
  })
  .meta({ id: 'LinkAnswer' });
