import type { z } from 'zod';
import type { ObjectStore } from '../../../adapters/object-store/object-store.ts';
import type { DataExport } from '../../../db/entities/exports/export.ts';
import { isExportOpen } from '../../../domain/exports/export.ts';
import { FILE_COLUMN_GROUPS } from '../../../domain/exports/file-columns.ts';
import { EXPORT_URL_SECONDS } from '../../../domain/limits.ts';
import { exportKey } from '../../../domain/object-keys.ts';
import { formatOf } from '../../../services/exports/formats/index.ts';
import type { columnGroups, exportRecord } from './schema.ts';

type ExportFormat = z.input<typeof exportRecord>['format'];
type Presigner = Pick<ObjectStore, 'presignGet'>;

/** The registry of columns, by group. */
export function presentColumns() {
  const groups = Object.entries(FILE_COLUMN_GROUPS).map(([group, columns]) => [
    group,
    Object.entries(columns).map(([field_key, display_name]) => ({ field_key, display_name, group })),
  ]);
  return { groups: Object.fromEntries(groups) as z.input<typeof columnGroups>['groups'] };
}

/** A finished export of files. */
export async function presentFileExport(objects: Presigner, row: DataExport) {
  return {
    export_id: row.id,
    download_url: await downloadUrl(objects, row),
    spreadsheet_url: row.spreadsheetUrl ?? null,
    record_count: row.recordCount,
    format: row.format as ExportFormat,
  };
}

export async function presentExport(objects: Presigner, row: DataExport, now = new Date()) {
  const { recordCount: records, expectedCount: expected = null, cleanAt } = row;
  const done = row.status === 'completed';
  return {
    export_id: row.id,
    export_type: row.kind,
    status: row.status,
    download_url: await downloadUrl(objects, row, now),
    spreadsheet_url: row.spreadsheetUrl ?? null,
    record_count: done ? records : null,
    format: row.format as ExportFormat,
    progress: {
      records,
      total_records: done ? records : expected,
      percent: done ? 100 : percentOf(records, expected),
    },
    created_at: row.createdAt.toISOString(),
    completed_at: row.completedAt?.toISOString() ?? null,
    expires_at: done && cleanAt ? cleanAt.toISOString() : null,
    estimated_completion_time: estimate(row, now)?.toISOString() ?? null,
    error_message: row.error?.message ?? null,
    poll_url: `/api/v2/data/export/${row.id}`,
  };
}

/** A newly accepted export. The response does not depend on its progress, which clients poll. */
export async function presentAcceptedExport(objects: Presigner, row: DataExport) {
  return {
    ...(await presentExport(objects, row)),
    status: 'processing' as const,
    download_url: null,
    spreadsheet_url: null,
    record_count: null,
    progress: { records: 0, total_records: null, percent: 0 },
    completed_at: null,
    expires_at: null,
    estimated_completion_time: null,
    error_message: null,
  };
}

/** The URL of the written file; null without one. */
async function downloadUrl(objects: Presigner, row: DataExport, now = new Date()): Promise<string | null> {
  const { id, tenantId, kind, format, status, cleanAt, createdAt } = row;
  const { file } = formatOf(format);
  if (status !== 'completed' || !file || !cleanAt || cleanAt <= now) return null;
  return objects.presignGet(exportKey(tenantId, id), {
    expiresInSeconds: EXPORT_URL_SECONDS,
    filename: `${kind}-${createdAt.toISOString().slice(0, 10)}.${file.extension}`,
    contentType: file.contentType,
  });
}

function percentOf(records: number, expected: number | null): number {
  return expected ? Math.min(100, Math.round((records / expected) * 100)) : 0;
}

/** When it will be complete at its present rate; undefined while that is unknown. */
function estimate(row: DataExport, now: Date): Date | undefined {
  const { status, startedAt, recordCount, expectedCount } = row;
  if (!isExportOpen(status) || !startedAt || !expectedCount || recordCount === 0) return undefined;
  const elapsed = now.getTime() - startedAt.getTime();
  return new Date(now.getTime() + (elapsed * Math.max(0, expectedCount - recordCount)) / recordCount);
}
