import type { EntityManager } from '@mikro-orm/postgresql';
import { randomUUID } from 'node:crypto';
import { FileVariant } from '../../db/entities/files/file-variant.ts';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { FileShare } from '../../db/entities/shares/file-share.ts';
import { AppError, notFound } from '../../domain/app-error.ts';
import { MAX_SHARES } from '../../domain/limits.ts';
import { generateToken, hashToken } from '../accounts/account-tokens.ts';
import { apiKeyIdOf, type Caller } from '../accounts/principal.ts';
import { recordAuditEvent } from '../audit-log/record-audit-event.ts';
import { lockFile } from '../files/find-file.ts';
import { isUuid } from '../shared/sql.ts';

/**
 * Makes a link to a live file. Its token is returned once and stored nowhere.
 *
 * @throws AppError NOT_FOUND; SHARE_LIMIT when the file has as many links as it may have
 */
export async function shareFile(
  em: EntityManager,
  caller: Caller,
  { fileId, expiresAt }: { fileId: string; expiresAt: Date },
): Promise<{ share: FileShare; token: string }> {
  const { tenantId, credential, ipAddress } = caller;
  const { token, hash } = generateToken();
  return em.transactional(async (tx) => {
    const file = await lockFile(tx, tenantId, fileId);
    if (!file || file.deletedAt) throw notFound('file');
    const now = new Date();
    // Those that have ended are in the audit log.
    const ended = { $or: [{ revokedAt: { $ne: null } }, { expiresAt: { $lte: now } }] };
    await tx.nativeDelete(FileShare, { fileId, ...ended });
    if ((await tx.count(FileShare, { fileId })) >= MAX_SHARES)
      throw new AppError('SHARE_LIMIT', `a file has at most ${MAX_SHARES} links; revoke one first`);
    const share = tx.create(FileShare, {
      id: randomUUID(),
      tenantId,
      fileId,
      tokenHash: hash,
      userId: credential.kind === 'session' ? credential.userId : null,
      apiKeyId: apiKeyIdOf(credential) ?? null,
      createdAt: now,
      expiresAt,
      revokedAt: null,
      openedCount: 0,
      lastOpenedAt: null,
    });
    await tx.persist(share).flush();
    await recordAuditEvent(tx, {
      tenantId,
      type: 'file.shared',
      credential,
      ipAddress,
      resource: { type: 'file', id: fileId },
      metadata: { share_id: share.id, filename: file.filename, expires_at: expiresAt.toISOString() },
    });
    return { share, token };
  });
}

/** The links of a file that work, newest first. */
export function listShares(em: EntityManager, fileId: string): Promise<FileShare[]> {
  return em.find(
    FileShare,
    { fileId, revokedAt: null, expiresAt: { $gt: new Date() } },
    { orderBy: { createdAt: 'desc', id: 'desc' }, limit: MAX_SHARES },
  );
}

/**
 * Ends a link at once. Idempotent.
 *
 * @throws AppError NOT_FOUND for an id that is unknown, malformed or of another file
 */
export async function revokeShare(
  em: EntityManager,
  { tenantId, credential, ipAddress }: Caller,
  { fileId, shareId }: { fileId: string; shareId: string },
): Promise<FileShare> {
  return em.transactional(async (tx) => {
    const share = isUuid(shareId)
      ? await tx.findOne(FileShare, { id: shareId.toLowerCase(), fileId, tenantId })
      : null;
    if (!share) throw notFound('share');
    if (share.revokedAt) return share;
    share.revokedAt = new Date();
    await recordAuditEvent(tx, {
      tenantId,
      type: 'file.share_revoked',
      credential,
      ipAddress,
      resource: { type: 'file', id: fileId },
      metadata: { share_id: share.id },
    });
    return share;
  });
}

/** What a link shows. */
export interface SharedFile {
  share: FileShare;
  file: StoredFile;
  variants: FileVariant[];
}

/**
 * The file of a link, and counts the opening.
 *
 * @throws AppError NOT_FOUND, the same for a token that is unknown, expired or revoked, and for a file in the trash
 */
export async function openShare(em: EntityManager, token: string): Promise<SharedFile> {
  const [opened] = await em.execute<{ id: string }[]>(
    `update file_shares set opened_count = opened_count + 1, last_opened_at = now()
     from files, tenants
     where token_hash = ? and file_shares.revoked_at is null and file_shares.expires_at > now()
       and files.id = file_shares.file_id and files.deleted_at is null
       and tenants.id = file_shares.tenant_id and tenants.is_active and tenants.deleted_at is null
     returning file_shares.id`,
    [hashToken(token)],
  );
  const share = opened && (await em.findOne(FileShare, opened.id));
  const file = share && (await em.findOne(StoredFile, { id: share.fileId, tenantId: share.tenantId }));
  if (!share || !file) throw notFound('shared file');
  return { share, file, variants: await em.find(FileVariant, { fileId: file.id }) };
}
