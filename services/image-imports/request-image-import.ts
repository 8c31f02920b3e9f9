import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { ImageImport } from '../../db/entities/uploads/image-import.ts';
import { chargesFor, originOf, reservationId } from '../../domain/accounts/credits.ts';
import { initialComponents, outstanding } from '../../domain/components.ts';
import type { RequestedCategory } from '../../domain/content-categories.ts';
import type { UploadOptions } from '../../domain/uploads/upload-options.ts';
import type { Engine } from '../../temporal/client.ts';
import { reserveCredits } from '../accounts/credits.ts';
import { apiKeyIdOf, type Principal } from '../accounts/principal.ts';
import { subscribeToSubject, type RequestWebhook } from '../webhooks/request-webhook.ts';
import { imageImportWork } from './image-import-work.ts';
import { dueSince } from '../shared/due.ts';

const MEDIUM = 'image';

interface ImageImportRequest {
  url: string;
  contentCategory: RequestedCategory;
  options: UploadOptions;
  /** Receives the events of the import and of its file. */
  webhook?: RequestWebhook | undefined;
}

/**
 * Accepts an image by its URL: chooses the id of the future file, reserves its credits, and starts a workflow
 * that fetches the image.
 *
 * @throws AppError QUOTA_EXHAUSTED
 */
export async function requestImageImport(
  { em, engine }: { em: EntityManager; engine: Engine },
  { tenantId, tier, credential }: Pick<Principal, 'tenantId' | 'tier' | 'credential'>,
  { webhook, ...request }: ImageImportRequest,
): Promise<ImageImport> {
  const { contentCategory, options } = request;
  const components = initialComponents(MEDIUM, { ...options, contentCategory });
  const now = new Date();
  const id = randomUUID();
  const created = await em.transactional(async (tx) => {
    // The reservation id of the future file, so that it is charged once.
    await reserveCredits(tx, {
      tenantId,
      tier,
      reservationId: reservationId(id, 1),
      charges: chargesFor(MEDIUM, outstanding({ mediaType: MEDIUM, components }), originOf({ options })),
      apiKeyId: apiKeyIdOf(credential),
    });
    await subscribeToSubject(tx, webhook, { tenantId, kind: 'file', id });
    const row = tx.create(ImageImport, {
      ...request,
      id,
      tenantId,
      status: 'pending',
      error: null,
      duplicateOf: null,
      ...dueSince(now),
      createdAt: now,
      updatedAt: now,
    });
    await tx.persist(row).flush();
    return row;
  });
  await imageImportWork.start({ em, engine }, created);
  return created;
}
