import type { EntityManager } from '@mikro-orm/postgresql';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { MAX_FOLDER_DEPTH } from '../../domain/limits.ts';
import {
  daysAfter,
  goneAt,
  retentionRule,
  trashDue,
  type FileHold,
  type RetentionRule,
} from '../../domain/trash/retention.ts';

/** What its account and folders, also deleted ones, say of a file. */
export async function readRetentionRule(
  em: EntityManager,
  { tenantId, folderId = null }: Pick<StoredFile, 'tenantId' | 'folderId'>,
): Promise<RetentionRule> {
  const rows = await em.execute<{ retention_days: number | null; trash_days: number | null }[]>(
    `with recursive line as (
       select parent_id, retention_days, trash_days, 1 as level from folders where tenant_id = ? and id = ?
       union all
       select above.parent_id, above.retention_days, above.trash_days, line.level + 1
       from line join folders above on above.id = line.parent_id
       where above.tenant_id = ? and line.level < ?
     )
     select retention_days, trash_days, level from line
     union all
     select retention_days, trash_days, 0 from tenants where id = ?
     order by level`,
    [tenantId, folderId, tenantId, MAX_FOLDER_DEPTH, tenantId],
  );
  const [account = { retentionDays: null, trashDays: null }, ...folders] = rows.map((row) => {
    return { retentionDays: row.retention_days, trashDays: row.trash_days };
  });
  return retentionRule(account, folders);
}

/** When a file will be deleted and why, or what keeps it. */
export interface Retention {
  file: StoredFile;
  rule: RetentionRule;
  /** Of the file itself, else of one that it belongs with. */
  hold: (FileHold & { fileId: string }) | null;
  /** When it moved to the trash, or will; null: never. */
  trashAt: Date | null;
  /** When it is removed for good; null: never. */
  purgeAt: Date | null;
  /** An admin has asked for its removal, or the purge has begun it. */
  isErased: boolean;
}

export async function readRetention(em: EntityManager, file: StoredFile): Promise<Retention> {
  const rule = await readRetentionRule(em, file);
  const [row] = await em.execute<{ held_id: string | null; hold: FileHold | null; erased: boolean }[]>(
    `select nearest.file_id as held_id, nearest.hold,
       exists (select from file_removals where file_id = files.id and began_at is not null) as erased
     from files left join lateral hold_of(files.id) as nearest on true where files.id = ?`,
    [file.id],
  );
  const hold = row?.hold && row.held_id ? { ...row.hold, fileId: row.held_id } : null;
  const { deletedAt = null } = file;
  const trashAt = deletedAt ?? (hold ? null : trashDue(file, rule));
  const purgeAt =
    hold || !trashAt
      ? null
      : deletedAt
        ? goneAt({ deletedAt, purgeAt: file.purgeAt })
        : daysAfter(trashAt, rule.trashDays);
  return { file, rule, hold, trashAt, purgeAt, isErased: row?.erased === true };
}
