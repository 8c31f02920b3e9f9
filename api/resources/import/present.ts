import type { z } from 'zod';
import type { FileImport } from '../../../db/entities/imports/import.ts';
import type { ImportItem } from '../../../db/entities/imports/import-item.ts';
import type { ImportProgress } from '../../../services/imports/read-progress.ts';
import type { importItemPage, importRecord } from './schema.ts';

/** An import with its progress. */
export function presentImport({
  row,
  counts,
  endedAMinute,
  estimatedEnd,
  recentErrors,
}: ImportProgress): z.input<typeof importRecord> {
  const { found, imported, skipped, failed, reasons, bytes } = counts;
  return {
    id: row.id,
    status: row.status === 'waiting' ? 'paused' : row.status,
    reason: row.reason ?? null,
    source: presentSource(row.source),
    concurrency: row.concurrency,
    max_files_per_minute: row.maxPerMinute ?? null,
    listed: row.listed,
    partial: row.partial,
    found,
    imported,
    skipped,
    failed,
    reasons,
    bytes,
    gone: row.gone,
    pass: row.pass,
    repeat_every_hours: row.repeatHours ?? null,
    when_gone: row.whenGone,
    next_pass_at: row.nextPassAt?.toISOString() ?? null,
    files_per_minute: endedAMinute,
    estimated_completion_time: estimatedEnd?.toISOString() ?? null,
    recent_errors: recentErrors.map(presentItem),
    created_at: row.createdAt.toISOString(),
    started_at: row.startedAt?.toISOString() ?? null,
    completed_at: row.completedAt?.toISOString() ?? null,
  };
}

function presentSource(source: FileImport['source']): z.input<typeof importRecord>['source'] {
  switch (source.type) {
    case 'own_bucket':
    case 'folder':
      return source;
    case 'bucket':
      return { type: source.type, connection_id: source.connectionId, prefix: source.prefix };
    case 'manifest':
      return {
        type: source.type,
        url: source.url,
        ...(source.connectionId !== undefined && { connection_id: source.connectionId }),
      };
  }
}

function presentItem(item: ImportItem): z.input<typeof importItemPage>['items'][number] {
  return {
    id: item.id,
    key: item.key,
    etag: item.etag,
    size_bytes: item.sizeBytes ?? null,
    status: item.status,
    reason: item.reason ?? null,
    file_id: item.fileId ?? null,
    ended_at: item.endedAt?.toISOString() ?? null,
    gone_at: item.goneAt?.toISOString() ?? null,
  };
}

export function presentItemPage({
  items,
  next,
}: {
  items: ImportItem[];
  next: string | undefined;
}): z.input<typeof importItemPage> {
  return { items: items.map(presentItem), next_cursor: next ?? null };
}
