import { z } from 'zod';
import {
  MAX_TAG_LENGTH,
  MAX_TAGS,
  MAX_TITLE_LENGTH,
  MAX_USER_DESCRIPTION_LENGTH,
} from '../../../domain/limits.ts';
import { tagList, text } from '../../../domain/schemas/text.ts';
import { folderId, tags, updatedAt, uploadDescription, userDescription } from '../fields.ts';

/** Every field at its maximum length, each character escaped as six. */
export const PATCH_BYTES = 128 * 1024;

export const patchBody = z
  .strictObject({
    title: text(MAX_TITLE_LENGTH).nullish().meta({ description: 'Title; null or empty: the file name' }),
    tags: tagList.nullish().meta({
      description: 'Replaces all tags; duplicate and empty ones are dropped; null removes all',
      override: {
        type: ['array', 'null'],
        items: { type: 'string', maxLength: MAX_TAG_LENGTH },
        maxItems: MAX_TAGS,
      },
    }),
    user_description: text(MAX_USER_DESCRIPTION_LENGTH)
      .nullish()
      .meta({ description: 'Description; null or empty: the one by the model' }),
    folder_id: z.guid().toLowerCase().nullish().meta({ description: 'Moves the file; null: to the root' }),
  })
  .refine((body) => Object.values(body).some((value) => value !== undefined), {
    message: 'send at least one of title, tags, user_description, folder_id',
  })
  .meta({ override: { minProperties: 1 } });

export const patchAnswer = z
  .object({
    id: z.uuid().describe('Id of the file'),
    title: z.string().describe('Title; the file name if none was given'),
    tags,
    user_description: userDescription,
    upload_description: uploadDescription,
    folder_id: folderId,
    updated_at: updatedAt,
  })
  .meta({ id: 'FileChange' });
