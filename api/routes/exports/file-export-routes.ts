import { randomUUID } from 'node:crypto';
import { refuseAccess } from '../../../domain/accounts/access.ts';
import { AppError } from '../../../domain/app-error.ts';
import { isExportOpen } from '../../../domain/exports/export.ts';
import { FILE_COLUMNS } from '../../../domain/exports/file-columns.ts';
import type { FilesSpec } from '../../../domain/exports/spec.ts';
import { checkFilesExport, createExport } from '../../../services/exports/create-export.ts';
import { formatOf } from '../../../services/exports/formats/index.ts';
import { exportWork } from '../../../services/exports/export-work.ts';
import { markProvisional } from '../../http/idempotent.ts';
import { route } from '../../http/route.ts';
import { stateOf } from '../../http/state.ts';
import { presentColumns, presentExport, presentFileExport } from '../../resources/export/present.ts';
import { presentRequestWebhook, requestWebhookOf } from '../../resources/request-webhook.ts';
import {
  columnGroups,
  startedExport,
  fileExport,
  fileExportBody,
  type FileExportBody,
} from '../../resources/export/schema.ts';

const NAME_OF = new Map<string, string>(FILE_COLUMNS.map(({ key, name }) => [key, name]));
/** Reasons for failure that concern the connected account. */
const CONNECTION_REASON = /^(CONNECTION_|SPREADSHEET_GONE|ENCRYPTION_KEY_UNKNOWN)/;

/** Tables of files. */
export const fileExportRoutes = [
  route({
    method: 'get',
    path: '/files/export/columns',
    operationId: 'listExportColumns',
    summary: 'The columns available to an export of files',
    tag: 'Exports',
    permit: 'files.read',
    answers: { 200: columnGroups },
    handle: () => Promise.resolve(presentColumns()),
  }),

  route({
    method: 'post',
    path: '/files/export',
    operationId: 'exportFiles',
    summary: 'Export files as a table; a long export is answered with 202 and continues',
    description:
      'Writes a table of the files that the filters select. A short export is answered with its URL.',
    accepted:
      'the export takes longer. Poll `GET /data/export/{export_id}` until `status` is `completed` or ' +
      '`failed`; it has a new URL each time.',
    tag: 'Exports',
    permit: 'files.read',
    idempotent: true,
    body: fileExportBody,
    answers: { 200: fileExport, 202: startedExport },
    errors: [
      'NOT_FOUND',
      'CONNECTION_REQUIRED',
      'CONNECTION_REJECTED',
      'EXPORT_TOO_LARGE',
      'EXPORT_FAILED',
      'TOO_MANY_EXPORTS',
    ],
    async handle(call) {
      const { ctx, em, deps, principal, body, resourceId } = call;
      const { engine, objects } = deps;
      const { tenantId, credential } = principal;
      const { format, connection_id: connectionId } = body;
      const spec = toSpec(body, new Date());
      // A format without a file writes into a connected account.
      const refusal = formatOf(format).file ? undefined : refuseAccess(principal, 'files.write');
      if (refusal) throw new AppError(refusal.code, refusal.message);
      const connection = await checkFilesExport(em, tenantId, { format, spec, connectionId });
      const target = { exportId: resourceId ?? randomUUID(), tenantId };
      const webhook = requestWebhookOf(call, body, 'body');
      const wanted = { kind: 'files', format, spec, connectionId: connection, webhook } as const;
      const caller = { credential, ipAddress: stateOf(ctx).clientAddress };
      const row = await createExport(em, target, wanted, caller);
      await exportWork.startIfDue({ em, engine }, row);
      await exportWork.wait({ em, engine }, row, { milliseconds: deps.exportWaitSeconds * 1000 });
      if (row.status === 'failed') {
        const { code = 'INTERNAL', message = 'the export failed' } = row.error ?? {};
        throw new AppError(CONNECTION_REASON.test(code) ? 'CONNECTION_REJECTED' : 'EXPORT_FAILED', message);
      }
      const secret = await presentRequestWebhook(call, body, 'export', row.id);
      if (!isExportOpen(row.status)) return { ...(await presentFileExport(objects, row)), ...secret };
      markProvisional(ctx);
      ctx.status = 202;
      return { ...(await presentExport(objects, row)), ...secret };
    },
  }),
];

function toSpec(body: FileExportBody, now: Date): FilesSpec {
  const { sheet_name: sheetName } = body;
  return {
    columns: body.columns.map(({ field_key: key, display_name: name }) => ({
      key,
      name: name ?? NAME_OF.get(key) ?? key,
    })),
    fileIds: body.file_ids,
    folderId: body.folder_id,
    includeSubfolders: body.include_subfolders,
    flattenTags: body.flatten_tags,
    sheetName,
    title: body.google_sheets_title ?? `${sheetName} ${now.toISOString().slice(0, 10)}`,
  };
}
