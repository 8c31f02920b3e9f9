import { z } from 'zod';
import type { FileShare } from '../../db/entities/shares/file-share.ts';
import { DOWNLOAD_URL_SECONDS, MAX_SHARE_DAYS, USUAL_SHARE_DAYS } from '../../domain/limits.ts';
import { optionalWith, text } from '../../domain/schemas/text.ts';
import type { SharedFile } from '../../services/shares/file-shares.ts';
import { originalUrl, variantUrls, type Presigner } from './file/present.ts';
import { fileParams } from './file/schema.ts';
import {
  contentType,
  count,
  createdAt,
  fileId,
  filename,
  idParam,
  mediaType,
  sizeBytes,
  timestamp,
  url,
} from './fields.ts';

export const shareParams = fileParams.extend({ share_id: idParam('Id of a link') });

export const shareBody = z.strictObject({
  expires_in_days: optionalWith(
    z.int().min(1).max(MAX_SHARE_DAYS, `at most ${MAX_SHARE_DAYS} days`),
    USUAL_SHARE_DAYS,
  ).describe('After how many days the link stops working'),
});

const fields = {
  id: z.uuid().describe('Id of the link'),
  file_id: fileId,
  created_at: createdAt,
  created_by: z.uuid().nullable().describe('Id of the user who made it; null for one made with an API key'),
  expires_at: timestamp.describe('When the link stops working'),
  revoked_at: timestamp.nullable().describe('When it was revoked; null if it was not'),
  opened_count: count.describe('How often it was opened'),
  last_opened_at: timestamp.nullable().describe('When it was last opened; null if it was not'),
};

export const share = z.object(fields).meta({ id: 'FileShare' });
export const shareList = z
  .object({ items: z.array(share).describe('The links that work, newest first') })
  .meta({ id: 'FileShareList' });
export const createdShare = z
  .object({
    ...fields,
    url: z.url().describe('The link, shown only now: who has it sees the file without signing in'),
  })
  .meta({ id: 'CreatedFileShare' });

/** Tokens have 43 characters; anything else is answered like an unknown one. */
export const openShareBody = z.strictObject({
  token: text(100).describe('The part of the link after `#`'),
});

export const sharedFile = z
  .object({
    title: z.string().describe('Title; the file name if none was given'),
    filename,
    media_type: mediaType,
    content_type: contentType,
    size_bytes: sizeBytes,
    description: z.string().nullable().describe('Description of the file; null without one'),
    picture_url: url.describe(
      'Presigned URL of a picture of the file, valid for one hour; null if there is none',
    ),
    download_url: z
      .url()
      .describe(`Presigned URL of the original, valid for ${DOWNLOAD_URL_SECONDS} seconds`),
    expires_at: fields.expires_at,
  })
  .meta({ id: 'SharedFile' });

export function presentShare(one: FileShare): z.input<typeof share> {
  return {
    id: one.id,
    file_id: one.fileId,
    created_at: one.createdAt.toISOString(),
    created_by: one.userId ?? null,
    expires_at: one.expiresAt.toISOString(),
    revoked_at: one.revokedAt?.toISOString() ?? null,
    opened_count: one.openedCount,
    last_opened_at: one.lastOpenedAt?.toISOString() ?? null,
  };
}

export async function presentSharedFile(
  objects: Presigner,
  { share: one, file, variants }: SharedFile,
): Promise<z.input<typeof sharedFile>> {
  const urls = await variantUrls(objects, variants);
  return {
    title: file.title ?? file.filename,
    filename: file.filename,
    media_type: file.mediaType,
    content_type: file.contentType,
    size_bytes: file.sizeBytes,
    description: file.userDescription ?? file.uploadDescription ?? null,
    picture_url: urls.full_url ?? urls.medium_url ?? urls.thumbnail_url,
    download_url: await originalUrl(objects, file, DOWNLOAD_URL_SECONDS),
    expires_at: one.expiresAt.toISOString(),
  };
}
