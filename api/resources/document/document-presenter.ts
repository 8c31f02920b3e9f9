import { firstFailure } from '../../../domain/components.ts';
import { endOfDocumentAnalysis } from '../../../domain/documents/document-analysis.ts';
import { VARIANT_URL_SECONDS } from '../../../domain/limits.ts';
import { isTerminalPrimary } from '../../../domain/primary-status.ts';
import { documentTypeOf } from '../../../services/documents/document-target.ts';
import {
  countDocuments,
  countPages,
  readDocument,
  readText,
} from '../../../services/documents/read-document.ts';
import { type ImageItem, readImageItems } from '../../../services/images/read-image.ts';
import { textOf } from '../../http/streamed.ts';
import {
  NO_OWN_FIELDS,
  originalUrl,
  presentFileDetail,
  type Presigner,
  variantUrls,
} from '../file/present.ts';
import { jobFields } from '../job-fields.ts';
import type { MediumPresenter } from '../medium-presenter.ts';

export const documentPresenter: MediumPresenter = {
  async listItems({ em, objects }, files) {
    const ids = files.map(({ id }) => id);
    const [counts, previews] = [await countDocuments(em, ids), await readImageItems(em, ids)];
    const items = files.map(async (file) => {
      const { pageCount = null, chunkCount = null } = counts.get(file.id) ?? {};
      const fields = {
        ...NO_OWN_FIELDS,
        ...(await presentPreview(objects, previews.get(file.id))),
        document_type: documentTypeOf(file) ?? null,
        page_count: pageCount,
        chunk_count: chunkCount,
        document_url: await originalUrl(objects, file, VARIANT_URL_SECONDS),
      };
      return [file.id, fields] as const;
    });
    return new Map(await Promise.all(items));
  },

  async detail({ em, objects }, detail) {
    const { file, progress } = detail;
    const { details, chunkCount, text } = await readDocument(em, file);
    return {
      ...presentFileDetail(detail),
      media_type: 'document' as const,
      document_type: documentTypeOf(file) ?? 'txt',
      document_url: progress.upload ? null : await originalUrl(objects, file, VARIANT_URL_SECONDS),
      page_count: details?.pageCount ?? null,
      chunk_count: details ? chunkCount : null,
      language: details?.language ?? null,
      extracted_text: details ? await textOf(text) : null,
      ...(await presentPreview(objects, (await readImageItems(em, [file.id])).get(file.id))),
    };
  },

  async processingStatus(em, { progress }, components) {
    const { file } = progress;
    const pages = await countPages(em, file.id);
    const counts = (await countDocuments(em, [file.id])).get(file.id);
    const ended = isTerminalPrimary(progress.primaryStatus);
    const starts = components.flatMap(({ startedAt }) => startedAt ?? []);
    const ends = components.flatMap(({ completedAt }) => completedAt ?? []);
    const [, troubled] = firstFailure({ mediaType: file.mediaType, components: progress.components }) ?? [];
    return {
      document_id: file.id,
      filename: file.filename,
      document_type: documentTypeOf(file) ?? 'txt',
      text_extraction_status: progress.components.text_extraction?.status ?? 'skipped',
      page_count: counts?.pageCount ?? null,
      chunk_count: counts?.chunkCount ?? null,
      pages,
      created_at: file.createdAt.toISOString(),
      processing_started_at: starts.toSorted()[0] ?? null,
      completed_at: ended ? (ends.toSorted().at(-1) ?? null) : null,
      error_message: troubled?.error?.message ?? null,
    };
  },

  /** Ends with its text; a description that comes later is in a later answer. */
  async job(em, jobId, { file, components }) {
    const job = jobFields(jobId, 'document', file.createdAt);
    const end = endOfDocumentAnalysis(components);
    if (!end) return { ...job, status: 'processing' };
    const completed_at = end.endedAt ?? null;
    if (end.status === 'failed')
      return { ...job, status: 'failed', completed_at, error_message: end.reason.message };
    const result = {
      document_id: file.id,
      status: end.status,
      description: file.userDescription ?? file.uploadDescription ?? null,
      visible_text: await textOf(readText(em, file.id)),
      tags: file.tags,
      confidence_score: null,
    };
    return { ...job, status: 'completed', completed_at, results: [result] };
  },
};

/** The variants of its first page. */
async function presentPreview(objects: Presigner, { details, variants }: ImageItem = { variants: [] }) {
  return {
    ...(await variantUrls(objects, variants)),
    blur_hash: details?.blurHash ?? null,
    variant_count: variants.length,
  };
}
