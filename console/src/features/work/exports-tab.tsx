import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ExportRecord } from 'darkroom-client';
import { Download, FileSpreadsheet, Table2 } from 'lucide-react';
import { useState } from 'react';
import { client } from '../../lib/client.ts';
import { formatDateTime, formatNumber } from '../../lib/format.ts';
import { useLive } from '../../lib/live.ts';
import { useMay } from '../../lib/session.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { notify, notifyError } from '../../ui/notices.tsx';
import { Empty, ErrorNote, MoreButton, Skeleton } from '../../ui/page.tsx';
import { ProgressBar, StatusBadge } from '../../ui/status.tsx';
import { Cell, Table } from '../../ui/table.tsx';
import { ExportDialog } from './export-dialog.tsx';
import { WORK_TEXTS } from './texts.ts';
import { useWorkPages } from './work-pages.ts';

const texts = WORK_TEXTS.exports;
const BUSY_MS = 3000;
/** The URLs of the files are valid for an hour. */
const QUIET_MS = 15 * 60_000;

const isOpen = ({ status }: ExportRecord) => status === 'pending' || status === 'processing';

/** The exports of the account, newest first, and a way to start one. */
export function ExportsTab() {
  const [isStarting, setStarting] = useState(false);
  const queries = useQueryClient();
  const exports = useWorkPages(
    ['exports'],
    async (query, signal) => (await client.api.GET('/data/export', { params: { query }, signal })).data,
    { isOpen, busyMs: BUSY_MS, quietMs: QUIET_MS },
  );
  const records = exports.items;
  const running = records.find(isOpen);
  useLive(running ? `/data/export/${running.export_id}` : null, {
    onEvent: () => void queries.invalidateQueries({ queryKey: ['exports'] }),
  });
  const start = (
    <Button variant="primary" icon={Table2} onClick={() => setStarting(true)}>
      {texts.start}
    </Button>
  );
  return (
    <div className="flex flex-col gap-4">
      {exports.isPending && <Skeleton lines={4} />}
      {exports.error && <ErrorNote error={exports.error} onRetry={() => void exports.refetch()} />}
      {exports.data && records.length === 0 && (
        <Empty icon={FileSpreadsheet} title={texts.empty}>
          <p className="mb-4">{texts.emptyHint}</p>
          {start}
        </Empty>
      )}
      {records.length > 0 && (
        <>
          <div>{start}</div>
          <Table caption={texts.caption} columns={texts.columns}>
            {records.map((record) => (
              <ExportRow key={record.export_id} record={record} />
            ))}
          </Table>
        </>
      )}
      <MoreButton list={exports} />
      <ExportDialog open={isStarting} onClose={() => setStarting(false)} />
    </div>
  );
}

function ExportRow({ record }: { record: ExportRecord }) {
  const { export_type: kind, format, status, progress, download_url: url, spreadsheet_url: sheet } = record;
  const done = status === 'completed';
  const note = done && url === null && sheet === null ? texts.gone : record.error_message;
  return (
    <tr>
      <Cell className="whitespace-nowrap">
        <span className="block font-medium">{texts.kinds[kind]}</span>
        <span className="text-muted">{texts.formats[format]}</span>
      </Cell>
      <Cell className="min-w-36">
        <StatusBadge status={status} />
        {isOpen(record) && (
          <div className="mt-2">
            <ProgressBar
              label={texts.progress}
              value={progress.total_records === null ? undefined : progress.percent}
              max={100}
            />
          </div>
        )}
        {note !== null && <span className="mt-1 block text-muted wrap-anywhere">{note}</span>}
      </Cell>
      <Cell className="tabular-nums">{formatNumber(progress.records)}</Cell>
      <Cell className="whitespace-nowrap">
        <span className="block">{formatDateTime(record.created_at)}</span>
        {url !== null && record.expires_at !== null && (
          <span className="text-muted">{texts.expires(formatDateTime(record.expires_at))}</span>
        )}
      </Cell>
      <Cell>
        <div className="flex items-center justify-end gap-2">
          {url !== null && (
            <a href={url} className={LINK}>
              <Download aria-hidden className="size-4" />
              {texts.download}
            </a>
          )}
          {sheet !== null && (
            <a href={sheet} target="_blank" rel="noopener noreferrer" className={LINK}>
              {texts.openSheet}
            </a>
          )}
          {(isOpen(record) || url !== null) && <Discard id={record.export_id} />}
        </div>
      </Cell>
    </tr>
  );
}

const LINK =
  'inline-flex h-8 items-center gap-2 rounded-lg border border-line px-2.5 text-sm font-medium whitespace-nowrap hover:bg-sunken';

function Discard({ id }: { id: string }) {
  const mayDiscard = useMay('editor');
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const discard = useMutation({
    mutationFn: () => client.api.DELETE('/data/export/{export_id}', { params: { path: { export_id: id } } }),
    onSuccess: async () => {
      setAsking(false);
      notify(texts.discarded);
      await queries.invalidateQueries({ queryKey: ['exports'] });
    },
    onError: notifyError,
  });
  if (!mayDiscard) return null;
  return (
    <>
      <Button size="small" variant="quiet" onClick={() => setAsking(true)}>
        {texts.discard}
      </Button>
      <ConfirmDialog
        open={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => discard.mutate()}
        title={texts.discardQuestion}
        action={texts.discard}
        busy={discard.isPending}
      >
        {texts.discardNote}
      </ConfirmDialog>
    </>
  );
}
