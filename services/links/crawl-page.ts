import { createHash } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { fetchPage } from '../../adapters/web-fetch/fetch-page.ts';
import type { PageParser } from '../../engines/page-parser/page-parser.ts';
import type { Robots } from '../../adapters/web-fetch/robots.ts';
import type { WebFetch } from '../../adapters/web-fetch/web-fetch.ts';
import { DocumentDetails } from '../../db/entities/documents/document-details.ts';
import { LinkDetails } from '../../db/entities/links/link-details.ts';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { pageText } from '../../domain/documents/chunking.ts';
import { domainOf, normalizeLink } from '../../domain/links/web-link.ts';
import {
  canonicalOf,
  choosePageImages,
  MAX_PAGE_MOVES,
  pageTitle,
  type ParsedPage,
} from '../../domain/links/web-page.ts';
import { lockContent } from '../files/find-duplicate.ts';
import { findTarget, type FileTarget } from '../processing/file-target.ts';
import { recordStep } from '../processing/record-step.ts';
import { storable } from '../shared/sql.ts';
import { convertToFile, type BecomeFileDeps } from './convert-to-file.ts';
import { DuplicateLink, findLinkByCanonical } from './find-links.ts';
import { visitHosts, type HostSlots } from './host-slots.ts';

export interface CrawlDeps extends BecomeFileDeps {
  web: WebFetch;
  robots: Robots;
  pages: PageParser;
  hosts: HostSlots;
}

/** The result of a crawl. */
interface CrawledPage {
  page: ParsedPage;
  finalUrl: string;
  bytes: number;
  etag: string | null;
  lastModified: string | null;
}

/**
 * Fetches and reads the page of a link. A page that has not changed keeps its content: one statement records
 * the visit. If the URL serves a file of another medium, the link becomes that file.
 *
 * @throws FileGone, UploadSessionPaused, UploadSessionCancelled, HostBusy, NotAPage, UnreadablePage, DuplicateLink,
 *   ConvertedToFile; WebFetchError
 */
export async function crawlPage(deps: CrawlDeps, target: FileTarget, signal: AbortSignal): Promise<void> {
  const { em } = deps;
  const { fileId, tenantId } = target;
  const file = await findTarget(em, target);
  if (file.sourceUrl == null) throw new Error(`link ${fileId} has no URL`);
  const former = await em.findOne(LinkDetails, { fileId }, { refresh: true });
  // An earlier attempt finished, but its completion did not reach the engine.
  if (former?.generation === file.generation) return;
  if (file.duplicateOf != null) await recordStep(em, target, { changes: () => ({ duplicateOf: null }) });
  const visit = visitHosts(deps.hosts, tenantId, signal);
  const robots: Robots = {
    async check(url, call) {
      await visit.enter(url.host);
      await deps.robots.check(url, call);
    },
  };
  try {
    const validators = former ?? {};
    let link = file.sourceUrl;
    for (let moves = 0; ; moves += 1) {
      const fetched = await fetchPage({ ...deps, robots }, link, { tenantId, signal, validators });
      if (fetched.kind === 'unchanged') return await recordSeen(em, target);
      if (fetched.kind === 'file') return await convertToFile(deps, file, fetched);
      const { bytes, contentType, url, etag, lastModified } = fetched;
      const page = await deps.pages.parse({ bytes, contentType, url }, { tenantId, signal });
      if (page.movesTo !== null && moves < MAX_PAGE_MOVES) {
        link = page.movesTo;
        continue;
      }
      // If the final URL of the redirects is too long to store, the link's own URL stands in for it.
      const finalUrl = normalizeLink(url) ?? file.sourceUrl;
      return await recordPage(em, file, { page, finalUrl, bytes: bytes.length, etag, lastModified });
    }
  } catch (error) {
    if (error instanceof DuplicateLink) {
      const { duplicateOf } = error;
      await recordStep(em, target, { changes: () => ({ duplicateOf }) });
    }
    throw error;
  } finally {
    visit.leave();
  }
}

async function recordSeen(em: EntityManager, target: FileTarget): Promise<void> {
  await recordStep(em, target, {
    save: async (tx) =>
      void (await tx.nativeUpdate(
        LinkDetails,
        { fileId: target.fileId },
        { crawledAt: new Date(), generation: target.generation },
      )),
  });
}

/** Stores a page under the lock of its file; unchanged content only updates the time of the visit. */
async function recordPage(em: EntityManager, file: StoredFile, crawled: CrawledPage): Promise<void> {
  const { id: fileId, tenantId, generation, options } = file;
  const { page, finalUrl, bytes: pageBytes, etag, lastModified } = crawled;
  const canonicalUrl = canonicalOf(finalUrl, page);
  const { elements, leadImage, images: _all, canonicalUrl: _named, note, movesTo: _other, ...facts } = page;
  const images = choosePageImages(page);
  const contentHash = createHash('sha256')
    .update(JSON.stringify([facts, images, elements, ...(note === null ? [] : [note])]))
    .digest('hex');
  const now = new Date();
  await recordStep(
    em,
    { fileId, tenantId, generation },
    {
      async save(tx) {
        // Serialises concurrent crawls of links to the same page.
        await lockContent(tx, tenantId, canonicalUrl);
        const former = await tx.findOne(LinkDetails, { fileId }, { refresh: true });
        // An attempt that the engine has timed out may still get here.
        if (former?.generation === generation) return;
        // A link that was crawled before is no duplicate: it is older than the others, or was kept beside
        // them.
        const duplicateOf =
          options.skipDuplicates && !former
            ? await findLinkByCanonical(tx, tenantId, canonicalUrl, fileId)
            : null;
        if (duplicateOf) throw new DuplicateLink(duplicateOf.id);
        await tx.nativeUpdate(StoredFile, { id: fileId }, { duplicateOf: null });
        // A title given by a user is kept.
        const ofPages = [{ title: null }, ...(former ? [{ title: pageTitle(former) }] : [])];
        await tx.nativeUpdate(StoredFile, { id: fileId, $or: ofPages }, { title: pageTitle(page) });
        const changedAt = former?.contentHash === contentHash ? former.changedAt : now;
        await tx.upsert(LinkDetails, {
          ...storable({ ...facts, finalUrl, canonicalUrl, images, etag, lastModified }),
          fileId,
          tenantId,
          generation,
          domain: domainOf(finalUrl),
          leadImageUrl: leadImage?.src ?? null,
          contentHash,
          pageBytes,
          crawledAt: now,
          changedAt,
        });
        if (changedAt === now) await replaceContent(tx, fileId, page);
      },
    },
  );
}

/**
 * Stores the content as the only page of a document, so that it is chunked, indexed and searched like one.
 */
async function replaceContent(tx: EntityManager, fileId: string, page: ParsedPage): Promise<void> {
  const { title, author, publishedAt, language, note } = page;
  await tx.upsert(
    DocumentDetails,
    storable({
      fileId,
      pageCount: 1,
      title,
      author,
      statedCreatedAt: publishedAt,
      language,
      profile: { pages: 'web', ...(note !== null && { note }) },
      staleChunks: [],
    }),
    { onConflictExcludeFields: ['staleChunks'] },
  );
  const elements = storable(page.elements);
  const json = JSON.stringify(elements);
  await tx.execute(
    `insert into document_pages
       (file_id, page_number, status, needs_ocr, source, elements, text, content_hash, attempts, error, updated_at)
     values (?, 1, 'completed', false, 'document', ?, ?, ?, 1, null, now())
     on conflict (file_id, page_number) do update set elements = excluded.elements, text = excluded.text,
       content_hash = excluded.content_hash, attempts = document_pages.attempts + 1, updated_at = now()`,
    [fileId, json, pageText({ elements }), createHash('sha256').update(json).digest('hex')],
  );
}
