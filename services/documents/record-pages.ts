import { createHash } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { DocumentPage } from '../../db/entities/documents/document-page.ts';
import type { FailureReason } from '../../domain/components.ts';
import { isBody } from '../../domain/documents/chunking.ts';
import type { PageContent } from '../../domain/documents/page.ts';
import { lockFile } from '../files/lock-file.ts';
import type { FileTarget } from '../processing/file-target.ts';
import { storable } from '../shared/storable.ts';

/** A page that the reader gave no content for. */
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
 * Stores the content of pages, unless the file was deleted or is in a newer generation; requested ones without content
 * have failed. Idempotent.
 *
 * @returns how many have failed
 */
export async function recordPages(
  em: EntityManager,
  target: FileTarget,
  requested: readonly number[],
  contents: readonly PageContent[],
): Promise<number> {
  const missing = requested.filter((page) => !contents.some(({ pageNumber }) => pageNumber === page));
  await whileCurrent(em, target, async (tx) => {
    for (const content of contents) await saveContent(tx, target.fileId, content);
    await saveFailure(tx, target.fileId, missing, NO_CONTENT);
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

/** Stores the content of a page. The caller holds the lock of the file. */
export async function saveContent(tx: EntityManager, fileId: string, page: PageContent): Promise<void> {
  const { pageNumber, source } = page;
  const elements = storable(page.elements);
  const json = JSON.stringify(elements);
  await tx.nativeUpdate(
    DocumentPage,
    { fileId, pageNumber },
    {
      status: 'completed',
      source,
      elements,
      text: textOf({ elements }),
      contentHash: createHash('sha256').update(json).digest('hex'),
      error: null,
      updatedAt: new Date(),
    },
  );
}

/** The text of a page, without lines that repeat on pages. */
export function textOf({ elements }: Pick<PageContent, 'elements'>): string {
  return elements
    .filter(isBody)
    .map(({ content }) => content)
    .join('\n\n');
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
    { status: 'failed', error, elements: [], text: '', contentHash: null, updatedAt: new Date() },
  );
}
