import { randomUUID } from 'node:crypto';
import { TIER_LIMITS } from '../../../domain/accounts/tiers.ts';
import type { ErrorCode } from '../../../domain/app-error.ts';
import { BUCKET_FAILURES } from '../../../domain/bucket-failure.ts';
import { channelName } from '../../../domain/live-channels.ts';
import { resolveDestination } from '../../../services/files/folders/resolve-destination.ts';
import { acceptLink } from '../../../services/links/accept-link.ts';
import { acceptLinks } from '../../../services/links/accept-links.ts';
import { chooseBucket } from '../../../services/storage/read-storage.ts';
import { startIngestedFile } from '../../../services/uploads/ingest-file.ts';
import { checkWebUrl } from '../../http/check-web-url.ts';
import { route, type Call } from '../../http/route.ts';
import { uploadDeps } from '../../multipart/read-upload-request.ts';
import { rejectWithoutCredits } from '../../multipart/store-batch.ts';
import {
  linkAnswer,
  linkBatchBody,
  linkBody,
  type LinkBatchBody,
  type LinkBody,
} from '../../resources/link/schema.ts';
import { presentRequestWebhook, requestWebhookOf } from '../../resources/request-webhook.ts';
import { presentBatch } from '../../resources/upload/present.ts';
import { batchAnswer } from '../../resources/upload/schema.ts';

const LINK = {
  method: 'post',
  tag: 'Links',
  permit: 'files.write',
  cost: 'link',
  idempotent: true,
} as const;
const ERRORS: readonly ErrorCode[] = [
  'NOT_FOUND',
  'PROJECT_ARCHIVED',
  'STORAGE_NOT_CONFIGURED',
  ...BUCKET_FAILURES,
  'QUOTA_EXHAUSTED',
];

/** The attributes shared by the links of a request, as stored in rows. */
async function sharedAttributes(
  call: Call<unknown, unknown, unknown>,
  body: Omit<LinkBody | LinkBatchBody, 'url' | 'links'>,
) {
  const { em, principal } = call;
  const { tenantId } = principal;
  const place = { folderId: body.folder_id, projectId: body.project_id };
  const destination = await resolveDestination(em.fork(), tenantId, place);
  return {
    ...(await chooseBucket(em, tenantId, body.storage_target)),
    folderId: destination.folderId,
    contentCategory: body.content_category ?? destination.contentCategory,
    options: { autoDescribe: body.auto_describe, skipDuplicates: body.skip_duplicates },
    webhook: requestWebhookOf(call, body, 'body'),
  };
}

/** Adds a page by its URL; the workflow of its file crawls it. */
export const linkRoute = route({
  ...LINK,
  path: '/files/links',
  operationId: 'addLink',
  summary: 'Add a web page by its URL',
  description:
    'Stores the URL as a file of medium `link` and crawls its page: metadata, readable text, images, chunks for ' +
    '`POST /files/search`. A URL of a document or image becomes a file of that medium with the same id. ' +
    'The robots.txt of the site is honoured, as `Darkroom`. Retry the component `crawl` to crawl again: a page that has ' +
    'not changed keeps its content. With `skip_duplicates`, a URL that was added before, or that ' +
    'another link redirects to, returns that file; if only the crawl finds the duplicate, by its canonical ' +
    'URL, `crawl_status` is `failed` with the reason, `existing_file_id` names the file, and a batch counts the link as ' +
    'skipped.',
  accepted:
    'the link is stored and its page is being fetched. Poll `GET /files/{file_id}` until `primary_status` is neither ' +
    '`pending` nor `processing`.',
  body: linkBody,
  answers: { 202: linkAnswer },
  errors: ERRORS,
  async handle(call) {
    const { ctx, em, deps, principal, body, resourceId, log } = call;
    const { tenantId } = principal;
    checkWebUrl(deps, body.url, '/body/url');
    const accepted = await acceptLink({ em, objects: deps.objects }, principal, {
      ...(await sharedAttributes(call, body)),
      fileId: resourceId ?? randomUUID(),
      url: body.url,
      title: body.title || null,
      tags: body.tags,
    });
    const isNew = 'created' in accepted;
    const file = isNew ? accepted.created : accepted.duplicateOf;
    if (isNew) await startIngestedFile({ em: em.fork(), engine: deps.engine }, { fileId: file.id, tenantId });
    log.info({ file_id: file.id, tenant_id: tenantId, skipped: !isNew }, 'link added');
    ctx.status = 202;
    const webhook = await presentRequestWebhook(call, body, 'file', file.id);
    const path = `/api/v2/files/${file.id}`;
    return {
      file_id: file.id,
      media_type: file.mediaType,
      status: isNew ? ('processing' as const) : ('skipped' as const),
      existing_file_id: isNew ? null : file.id,
      source_url: file.sourceUrl ?? body.url,
      status_url: path,
      processing_status_url: `${path}/processing-status`,
      websocket_channel: channelName('file', file.id),
      ...webhook,
    };
  },
});

/** Room for 2,000 characters per URL, with titles and tags. */
const MAX_BATCH_BYTES = 1024 * 1024;

/** Adds several pages in one request, as an upload session. */
export const linkBatchRoute = route({
  ...LINK,
  path: '/files/links/batch',
  operationId: 'addLinks',
  summary: 'Add several web pages by their URLs',
  description:
    'Adds up to as many links as the tier allows files in a batch, each accepted or rejected alone; `rejections` says ' +
    'why. They are an upload session: follow it with `GET /files/sessions/{session_id}/status`, its events, or `GET /ws`.',
  accepted:
    'the links are stored and their pages are being fetched. Poll `GET /files/sessions/{session_id}/status` until ' +
    '`status` is neither `pending`, `uploading` nor `processing`.',
  body: linkBatchBody,
  maxBodyBytes: MAX_BATCH_BYTES,
  answers: { 202: batchAnswer },
  errors: ERRORS,
  async handle(call) {
    const { ctx, deps, principal, body, resourceId: sessionId, log } = call;
    const shared = await sharedAttributes(call, body);
    const links = body.links.map(({ url, title, tags }) => ({ url, title: title || null, tags }));
    const maxLinks = TIER_LIMITS[principal.tier].filesPerBatch;
    const batch = await acceptLinks(
      { ...uploadDeps(call), webGuard: deps.webGuard },
      principal,
      { ...shared, links },
      { sessionId, maxLinks },
    );
    log.info({ session_id: batch.sessionId, links: links.length }, 'links added');
    rejectWithoutCredits(batch.outcomes, '/body/links');
    ctx.status = 202;
    const webhook = await presentRequestWebhook(call, body, 'batch', batch.sessionId);
    return { ...presentBatch(batch), ...webhook };
  },
});
