import type { EntityManager } from '@mikro-orm/postgresql';
import { LinkDetails } from '../../db/entities/links/link-details.ts';
import { StoredFile } from '../../db/entities/files/stored-file.ts';

/** With skip_duplicates: another live file has the content of this link. Not retryable. */
export class DuplicateLink extends Error {
  override readonly name = 'DuplicateLink';
  readonly duplicateOf: string;

  constructor(duplicateOf: string) {
    super(`the page already exists as file ${duplicateOf}`);
    this.duplicateOf = duplicateOf;
  }
}

/** The oldest live file of the tenant that was added by this URL, or is a link that redirects to it. */
export async function findByUrl(
  em: EntityManager,
  tenantId: string,
  url: string,
): Promise<StoredFile | null> {
  const [row] = await em.execute<{ id: string }[]>(
    `select id from files
     where tenant_id = ? and deleted_at is null and (source_url = ? or id in (
       select file_id from link_details where tenant_id = ? and final_url = ?))
     order by created_at, id limit 1`,
    [tenantId, url, tenantId, url],
  );
  return row ? em.findOne(StoredFile, { id: row.id, tenantId }) : null;
}

/**
 * The oldest live link of the tenant to the page with this canonical URL.
 *
 * @param exceptId the link itself
 */
export async function findLinkByCanonical(
  em: EntityManager,
  tenantId: string,
  canonicalUrl: string,
  exceptId?: string,
): Promise<StoredFile | null> {
  const [row] = await em.execute<{ id: string }[]>(
    `select file.id from link_details details join files file on file.id = details.file_id
     where details.tenant_id = ? and details.canonical_url = ? and file.tenant_id = ? and file.deleted_at is null
       and file.media_type = ? and file.id is distinct from ?::uuid
     order by file.created_at, file.id limit 1`,
    [tenantId, canonicalUrl, tenantId, 'link', exceptId ?? null],
  );
  return row ? em.findOne(StoredFile, { id: row.id, tenantId }) : null;
}

/** The page details of links, by file id; absent until the link has been crawled. */
export async function findDetailsOfLinks(
  em: EntityManager,
  fileIds: readonly string[],
): Promise<Map<string, LinkDetails>> {
  const found = await em.find(LinkDetails, { fileId: { $in: [...fileIds] } }, { refresh: true });
  return new Map(found.map((details) => [details.fileId, details]));
}

/** The page details of a link; null until it has been crawled. */
export function findLinkDetails(em: EntityManager, fileId: string): Promise<LinkDetails | null> {
  return em.findOne(LinkDetails, { fileId }, { refresh: true });
}
