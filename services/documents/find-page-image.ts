import type { EntityManager } from '@mikro-orm/postgresql';
import { hasLayout } from 'darkroom-reader/document';
import type { DocumentPage } from '../../db/entities/documents/document-page.ts';
import { PageImage } from '../../db/entities/documents/page-image.ts';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { AppError } from '../../domain/app-error.ts';
import { pageWidth } from '../../domain/documents/page-image.ts';
import type { Engine } from '../../temporal/client.ts';
import { startWorkflow } from '../../temporal/start-workflow.ts';
import { pollUntil } from '../shared/outage.ts';
import { documentTypeOf } from './document-target.ts';
import { DRAW_PAGE } from '../../temporal/contract/draw-page.ts';

/** A picture takes a tenth of a second, of a busy page a few; more than that, and workers have other work. */
const WAIT_MS = 20_000;
/** A page that could not be drawn is not drawn again for each request. */
const FAILED_FOR_MS = 5 * 60_000;

export interface DrawnPage {
  objectKey: string;
  contentType: string;
}

/**
 * The picture of a page, if it was drawn since the page was last read.
 *
 * @throws AppError PAGE_NOT_DRAWN if it could not be drawn a moment ago
 */
export async function findPageImage(
  em: EntityManager,
  { fileId, pageNumber, contentHash }: DocumentPage,
  width: number,
): Promise<DrawnPage | undefined> {
  const drawn = await em.fork().findOne(PageImage, { fileId, pageNumber, width: pageWidth(width) });
  if (!drawn || drawn.contentHash !== contentHash) return undefined;
  const { objectKey, contentType, error, drawnAt } = drawn;
  if (objectKey && contentType) return { objectKey, contentType };
  if (drawnAt.getTime() < Date.now() - FAILED_FOR_MS) return undefined;
  throw new AppError('PAGE_NOT_DRAWN', error?.message ?? 'the page could not be drawn');
}

/**
 * Has a page drawn and waits for its picture.
 *
 * @throws AppError WORK_IN_PROGRESS while the page has not been read or workers are busy, PAGE_NOT_DRAWN;
 *   EngineUnavailable
 */
export async function makePageImage(
  { em, engine }: { em: EntityManager; engine: Engine },
  file: StoredFile,
  page: DocumentPage,
  width: number,
  signal: AbortSignal,
): Promise<DrawnPage> {
  const { id: fileId, tenantId } = file;
  const { pageNumber } = page;
  const type = documentTypeOf(file);
  if (type && !hasLayout(type) && page.contentHash === null) {
    if (page.status === 'failed')
      throw new AppError('PAGE_NOT_DRAWN', page.error?.message ?? 'the page could not be read');
    throw new AppError('WORK_IN_PROGRESS', 'the page has not been read yet; try again when it is', {
      retryAfterSeconds: 2,
    });
  }
  const input = { fileId, tenantId, pageNumber, width: pageWidth(width) };
  const drawn = await pollUntil(() => findPageImage(em, page, width), {
    milliseconds: WAIT_MS,
    signal,
    startDue: () => startWorkflow(engine, DRAW_PAGE, input),
  });
  if (drawn) return drawn;
  throw new AppError('WORK_IN_PROGRESS', 'the page is still being drawn; try again', {
    retryAfterSeconds: 2,
  });
}
