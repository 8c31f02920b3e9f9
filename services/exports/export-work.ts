import { DataExport } from '../../db/entities/exports/export.ts';
import { OPEN_EXPORT_STATUSES } from '../../domain/exports/export.ts';
import { defineWork } from '../shared/define-work.ts';
import { failExport } from './end-export.ts';
import { formatOf } from './formats/index.ts';
import { EXPORT_WORKFLOWS } from '../../temporal/contract/export-data.ts';

/** The sweep cleans up what an export that fails has left. */
export const exportWork = defineWork({
  noun: 'export',
  entity: DataExport,
  workflow: EXPORT_WORKFLOWS,
  openStatuses: OPEN_EXPORT_STATUSES,
  quiet: (before) => ({ createdAt: { $lt: before } }),
  input: ({ id, tenantId, format }) => ({ exportId: id, tenantId, format, queue: formatOf(format).queue }),
  summary: ({ kind, format }) => `Export of ${kind} as ${format}`,
  logged: ({ id }) => ({ export_id: id }),
  async onStarted(em, row) {
    await em.nativeUpdate(DataExport, { id: row.id, status: 'pending' }, { status: 'processing' });
    await em.refreshOrFail(row);
  },
  fail: (em, { id, tenantId }, reason) => failExport(em, { exportId: id, tenantId }, reason),
});
