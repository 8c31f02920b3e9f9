import type { z } from 'zod';
import type { LinkDetails } from '../../../db/entities/links/link-details.ts';
import type { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { domainOf } from '../../../domain/links/web-link.ts';
import { VARIANT_URL_SECONDS } from '../../../domain/limits.ts';
import { firstFailure, isTerminal } from '../../../domain/components.ts';
import { countDocuments, readNote, readText } from '../../../services/documents/read-document.ts';
import { readImageItems } from '../../../services/images/read-image.ts';
import { findDetailsOfLinks, findLinkDetails } from '../../../services/links/find-links.ts';
import { textOf } from '../../http/streamed.ts';
import { NO_OWN_FIELDS, presentFileDetail, variantUrls, type Presigner } from '../file/present.ts';
import { jobFields } from '../job-fields.ts';
import type { MediumPresenter } from '../medium-presenter.ts';
import type { pageFacts } from '../page-facts.ts';

export const linkPresenter: MediumPresenter = {
  async listItems({ em, objects }, files) {
    const ids = files.map(({ id }) => id);
    const [images, counts] = [await readImageItems(em, ids), await countDocuments(em, ids)];
    const pages = await findDetailsOfLinks(em, ids);
    const items = files.map(async (file) => {
      const { id } = file;
      const { details, variants } = images.get(id) ?? { variants: [] };
      const fields = {
        ...NO_OWN_FIELDS,
        ...(await variantUrls(objects, variants)),
        dimensions: details ? { width: details.width, height: details.height } : null,
        variant_count: variants.length,
        blur_hash: details?.blurHash ?? null,
        chunk_count: counts.get(id)?.chunkCount ?? null,
        ...presentListedFacts(file, pages.get(id)),
      };
      return [id, fields] as const;
    });
    return new Map(await Promise.all(items));
  },

  async detail({ em, objects }, detail) {
    const { file } = detail;
    const details = await findLinkDetails(em, file.id);
    const { details: image, variants } = (await readImageItems(em, [file.id])).get(file.id) ?? {
      variants: [],
    };
    const chunkCount = (await countDocuments(em, [file.id])).get(file.id)?.chunkCount;
    return {
      ...presentFileDetail(detail),
      media_type: 'link' as const,
      source_url: sourceOf(file),
      existing_file_id: file.duplicateOf ?? null,
      ...presentPageFacts(file, details),
      text: details ? await textOf(readText(em, file.id)) : null,
      reading_note: await readNote(em, file.id),
      chunk_count: chunkCount ?? null,
      screenshot_url: await screenshotUrl(objects, details),
      ...(await variantUrls(objects, variants)),
      dimensions: image ? { width: image.width, height: image.height } : null,
      blur_hash: image?.blurHash ?? null,
      variant_count: variants.length,
    };
  },

  async processingStatus(em, { progress }) {
    const details = await findLinkDetails(em, progress.file.id);
    return {
      source_url: sourceOf(progress.file),
      ...presentPageFacts(progress.file, details),
    };
  },

  /** The job ends with the text; a later description is in later answers. */
  async job(em, jobId, { file, components }) {
    const job = jobFields(jobId, 'link', file.createdAt);
    const { status = 'skipped', endedAt: completed_at = null } = components.crawl ?? {};
    if (!isTerminal(status)) return { ...job, status: 'processing' };
    if (status !== 'completed') {
      const [, failed] = firstFailure({ mediaType: file.mediaType, components }) ?? [];
      const error_message = failed?.error?.message ?? 'the page was not crawled';
      return { ...job, status: 'failed', completed_at, error_message };
    }
    const result = {
      link_id: file.id,
      status: 'completed' as const,
      description: file.userDescription ?? file.uploadDescription ?? null,
      visible_text: await textOf(readText(em, file.id)),
      tags: file.tags,
      confidence_score: null,
    };
    return { ...job, status: 'completed', completed_at, results: [result] };
  },
};

function screenshotUrl(objects: Presigner, details: LinkDetails | null): Promise<string> | null {
  const { screenshotKey } = details ?? {};
  if (!screenshotKey) return null;
  return objects.presignGet(screenshotKey, {
    expiresInSeconds: VARIANT_URL_SECONDS,
    disposition: 'inline',
    contentType: 'image/jpeg',
  });
}

/** The URL of a link, which every link has. */
function sourceOf({ sourceUrl }: StoredFile): string {
  return sourceUrl ?? '';
}

function presentListedFacts(file: StoredFile, details: LinkDetails | null | undefined) {
  const images = details?.images ?? [];
  return {
    domain: details?.domain ?? domainOf(sourceOf(file)),
    favicon_url: details?.faviconUrl ?? null,
    og_metadata: details?.metadata ?? {},
    extracted_images: images.map(({ src, alt, width, height }) => ({ url: src, alt, width, height })),
    extracted_images_count: images.length,
  };
}

function presentPageFacts(file: StoredFile, details: LinkDetails | null): z.input<typeof pageFacts> {
  return {
    ...presentListedFacts(file, details),
    final_url: details?.finalUrl ?? null,
    canonical_url: details?.canonicalUrl ?? null,
    page_title: details?.title ?? null,
    description: details?.description ?? null,
    site_name: details?.siteName ?? null,
    author: details?.author ?? null,
    published_at: details?.publishedAt ?? null,
    language: details?.language ?? null,
    structured_types: details?.types ?? [],
    crawled_at: details?.crawledAt.toISOString() ?? null,
    screenshot_error: details?.screenshotError ?? null,
    changed_at: details?.changedAt.toISOString() ?? null,
  };
}
