import { createHash } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { DocumentPage } from '../../db/entities/documents/document-page.ts';
import type { FailureReason } from '../../domain/components.ts';
import { pageText } from '../../domain/documents/chunking.ts';
import type { PageLines, PageContent } from 'darkroom-reader/document';
import { lockFile } from '../files/find-file.ts';
import type { FileTarget } from '../processing/file-target.ts';
import { forgetElements } from './locate-elements.ts';
import { storable } from '../shared/sql.ts';

/** The content of a page that was read. */
export interface ReadContent extends PageContent {
  /** Its lines, if a model is to lay it out. */
  lines?: PageLines;
}

/** The layout of a page, done or due. */
export type PageLayoutState = Pick<DocumentPage, 'layoutDue' | 'lines' | 'laidOutBy' | 'layoutError'>;

const BY_RULES = { lines: null, laidOutBy: null, layoutError: null, layoutDue: false };

/** For a page without content from the reader. */
const NO_CONTENT: FailureReason = { code: 'PAGE_UNREADABLE', message: 'the page could not be read' };

/** Marks pages as being read, and counts the attempt. */
export async function beginPages(
  em: EntityManager,
  { fileId }: FileTarget,
  pages: readonly number[],
): Promise<void> {
  await em.execute(
    `update document_pages set status = 'processing', attempts = attempts + 1, updated_at = now()
     where file_id = ? and page_number in (${pages.map(() => '?').join(', ')}) and status in ('pending', 'processing')`,
    [fileId, ...pages],
  );
}

/**
 * Stores the content of pages, unless the file was deleted or is in a newer generation; requested pages without content
 * have failed. Idempotent: a late attempt changes no page that has ended, since a model may have laid it out meanwhile.
 *
 * @returns how many have failed
 */
export async function recordPages(
  em: EntityManager,
  target: FileTarget,
  requested: readonly number[],
  contents: readonly ReadContent[],
): Promise<number> {
  const missing = requested.filter((page) => !contents.some(({ pageNumber }) => pageNumber === page));
  await whileCurrent(em, target, async (tx) => {
    const open = await tx.find(
      DocumentPage,
      {
        fileId: target.fileId,
        pageNumber: { $in: [...requested] },
        status: { $in: ['pending', 'processing'] },
      },
      { fields: ['pageNumber'] },
    );
    const isOpen = (page: number) => open.some(({ pageNumber }) => pageNumber === page);
    for (const { lines = null, ...content } of contents) {
      if (!isOpen(content.pageNumber)) continue;
      const layout = { ...BY_RULES, lines: storable(lines), layoutDue: lines !== null };
      await saveContent(tx, target.fileId, content, layout);
    }
    await saveFailure(tx, target.fileId, missing.filter(isOpen), NO_CONTENT);
    await forgetElements(tx, target.fileId, requested.filter(isOpen));
  });
  return missing.length;
}

/** Records why pages could not be read. Idempotent. */
export async function failPages(
  em: EntityManager,
  target: FileTarget,
  pages: readonly number[],
  reason: FailureReason,
): Promise<void> {
  await whileCurrent(em, target, (tx) => saveFailure(tx, target.fileId, pages, reason));
}

/**
 * Keeps the layout by rules for pages whose layout by a model is due. Idempotent.
 *
 * @param reason null if no model may be used any more
 */
export async function keepLayoutByRules(
  em: EntityManager,
  target: FileTarget,
  pages: readonly number[],
  reason: FailureReason | null,
): Promise<void> {
  const { fileId } = target;
  await whileCurrent(em, target, async (tx) => {
    const due = { fileId, pageNumber: { $in: [...pages] }, layoutDue: true };
    await tx.nativeUpdate(DocumentPage, due, { ...BY_RULES, layoutError: reason, updatedAt: new Date() });
  });
}

async function whileCurrent(
  em: EntityManager,
  { fileId, tenantId, generation }: FileTarget,
  write: (tx: EntityManager) => Promise<void>,
): Promise<void> {
  await em.transactional(async (tx) => {
    const file = await lockFile(tx, tenantId, fileId);
    if (file && file.generation === generation && !file.deletedAt) await write(tx);
  });
}

/**
 * Stores the content of a page. The caller holds the lock of the file.
 *
 * @param layout unchanged by default
 */
export async function saveContent(
  tx: EntityManager,
  fileId: string,
  page: PageContent,
  layout: Partial<PageLayoutState> = {},
): Promise<void> {
  const { pageNumber, source, confidence } = page;
  const elements = storable(page.elements);
  const json = JSON.stringify(elements);
  await tx.nativeUpdate(
    DocumentPage,
    { fileId, pageNumber },
    {
      status: 'completed',
      source,
      elements,
      text: pageText({ elements }),
      contentHash: createHash('sha256').update(json).digest('hex'),
      error: null,
      updatedAt: new Date(),
      ...(confidence !== undefined && { layoutConfidence: confidence }),
      ...layout,
    },
  );
}

async function saveFailure(
  tx: EntityManager,
  fileId: string,
  pages: readonly number[],
  error: FailureReason,
): Promise<void> {
  if (pages.length === 0) return;
  await tx.nativeUpdate(
    DocumentPage,
    { fileId, pageNumber: { $in: [...pages] } },
    {
      status: 'failed',
      error,
      elements: [],
      text: '',
      contentHash: null,
      layoutConfidence: null,
      updatedAt: new Date(),
      ...BY_RULES,
    },
  );
}
