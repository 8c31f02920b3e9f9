import { z } from 'zod';
import { MAX_HOLD_REASON_LENGTH } from '../../domain/limits.ts';
import { text } from '../../domain/schemas/text.ts';
import { RETENTION_SOURCES } from '../../domain/trash/retention.ts';
import type { Retention } from '../../services/trash/read-retention.ts';
import { fileId, timestamp } from './fields.ts';

export const holdBody = z.strictObject({
  reason: text(MAX_HOLD_REASON_LENGTH).min(1).describe('Why it must not be deleted, such as a case number'),
});

export const retentionAnswer = z
  .object({
    file_id: fileId,
    hold: z
      .object({
        file_id: z
          .uuid()
          .describe('Id of the held file: this one, the e-mail that it came with, or an attachment of it'),
        reason: z.string().describe('Why it must not be deleted'),
        since: timestamp.describe('Since when it is held'),
      })
      .meta({ id: 'FileHold' })
      .nullable()
      .describe('What keeps it from being deleted; null if it is not held'),
    retention_days: z
      .int()
      .nullable()
      .describe('Days after which it moves to the trash, by its folder or the account; null: never'),
    retention_source: z
      .enum(RETENTION_SOURCES)
      .nullable()
      .describe('Where `retention_days` is set; null if nowhere'),
    trash_at: timestamp.nullable().describe('When it moves to the trash, or did; null if it does not'),
    purge_at: timestamp
      .nullable()
      .describe('When it is removed for good, by the purge of that hour; null if it is not'),
    explanation: z.string().describe('What will become of the file and why, in a sentence'),
  })
  .meta({ id: 'FileRetention' });

export function presentRetention(retention: Retention): z.input<typeof retentionAnswer> {
  const { file, rule, hold, trashAt, purgeAt } = retention;
  return {
    file_id: file.id,
    hold: hold && { file_id: hold.fileId, reason: hold.reason, since: hold.since },
    retention_days: rule.days,
    retention_source: rule.daysOf,
    trash_at: trashAt?.toISOString() ?? null,
    purge_at: purgeAt?.toISOString() ?? null,
    explanation: explain(retention),
  };
}

function explain({ file, rule, hold, trashAt, purgeAt, isErased }: Retention): string {
  const day = (at: Date | null) => at?.toISOString().slice(0, 10);
  if (hold) {
    const what = hold.fileId === file.id ? 'it is' : `${hold.fileId}, which it belongs with, is`;
    const where = file.deletedAt ? 'It stays in the trash' : 'It is kept';
    return `${where}, because ${what} held since ${hold.since.slice(0, 10)}: ${hold.reason}`;
  }
  if (isErased) return 'It is being removed for good and cannot be restored.';
  if (file.deletedAt)
    return `It is in the trash since ${day(trashAt)} and is removed for good on ${day(purgeAt)}.`;
  if (!trashAt && rule.daysOf === 'folder') return 'It is kept, as its folder says.';
  if (!trashAt) return 'It is kept: neither its folders nor the account say when it moves to the trash.';
  const since = file.retainedFrom ? 'restored' : 'added';
  const by = rule.daysOf === 'folder' ? 'its folder' : 'the account';
  return `It moves to the trash on ${day(trashAt)}, ${rule.days} days after it was ${since}, as ${by} says, and is removed for good on ${day(purgeAt)}.`;
}
