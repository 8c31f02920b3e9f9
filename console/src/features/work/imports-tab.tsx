import type { Data } from 'darkroom-client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { HardDriveDownload } from 'lucide-react';
import { useState } from 'react';
import { byCode, client } from '../../lib/client.ts';
import { formatAgo, formatBytes, formatDateTime, formatNumber } from '../../lib/format.ts';
import { useMay } from '../../lib/session.ts';
import { TEXTS } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { SelectInput } from '../../ui/field.tsx';
import { Empty, ErrorNote, MoreButton, Skeleton } from '../../ui/page.tsx';
import { StatusBadge } from '../../ui/status.tsx';
import { Cell, Table } from '../../ui/table.tsx';
import { ImportDialog } from './import-dialog.tsx';
import { WORK_TEXTS } from './texts.ts';
import { WorkActions, WorkEntry, WorkFacts, WorkList } from './work-entry.tsx';
import { useWorkPages } from './work-pages.ts';

const texts = WORK_TEXTS.imports;
const ITEMS = 100;
const BUSY_MS = 5000;
const ITEM_STATUSES = ['failed', 'skipped', 'imported', 'pending'] as const;

type Import = Data<'/imports', 'get'>['items'][number];

const runs = ({ status }: Import) => status === 'pending' || status === 'running';
const isOpen = (record: Import) => runs(record) || record.status === 'paused';

/** Imports of the account, newest first, and a way to start one. */
export function ImportsTab() {
  const mayStart = useMay('editor');
  const [isStarting, setStarting] = useState(false);
  const imports = useWorkPages(
    ['imports', 'list'],
    async (query, signal) => (await client.api.GET('/imports', { params: { query }, signal })).data,
    { isOpen: runs },
  );
  const { items } = imports;
  const start = mayStart && (
    <Button variant="primary" icon={HardDriveDownload} onClick={() => setStarting(true)}>
      {texts.start}
    </Button>
  );
  if (imports.isPending) return <Skeleton lines={4} />;
  return (
    <div className="flex flex-col gap-4">
      {imports.error && <ErrorNote error={imports.error} onRetry={() => void imports.refetch()} />}
      {imports.data && items.length === 0 && (
        <Empty icon={HardDriveDownload} title={texts.empty}>
          <p className="mb-4">{texts.emptyHint}</p>
          {start}
        </Empty>
      )}
      {items.length > 0 && (
        <>
          <div>{start}</div>
          <WorkList>
            {items.map((record) => (
              <ImportEntry key={record.id} record={record} />
            ))}
          </WorkList>
        </>
      )}
      <MoreButton list={imports} />
      <ImportDialog open={isStarting} onClose={() => setStarting(false)} />
    </div>
  );
}

function placeOf(source: Import['source']): string {
  if (source.type === 'manifest') return source.url;
  return source.type === 'folder' ? source.path : source.prefix;
}

function ImportEntry({ record }: { record: Import }) {
  const { source, found, imported, skipped, failed, bytes } = record;
  const ended = imported + skipped + failed;
  const from = placeOf(source) || texts.wholeBucket;
  return (
    <WorkEntry
      title={`${texts.sources[source.type]}: ${from}`}
      notes={[
        formatDateTime(record.created_at),
        texts.counts(ended, found),
        failed > 0 && texts.failed(failed),
        skipped > 0 && texts.skipped(skipped),
        bytes > 0 && formatBytes(bytes),
        record.next_pass_at !== null && texts.next(formatDateTime(record.next_pass_at)),
      ]}
      status={record.status}
      progress={
        isOpen(record)
          ? // What has not been listed yet has no share.
            { label: texts.progress, value: record.listed ? ended : undefined, max: found }
          : undefined
      }
    >
      {() => <ImportDetail record={record} />}
    </WorkEntry>
  );
}

function ImportDetail({ record }: { record: Import }) {
  const { id, status, failed, reason } = record;
  const path = { import_id: id };
  const repeats = record.next_pass_at !== null;
  return (
    <div className="flex flex-col gap-4 px-4 pt-1 pb-5">
      {reason && (
        <p className={status === 'failed' ? 'text-bad' : 'text-muted'}>
          {byCode(reason.code, reason.message)}
        </p>
      )}
      {record.partial && <p className="text-muted">{texts.partial}</p>}
      <WorkFacts
        facts={[
          [texts.found, formatNumber(record.found) + (record.listed ? '' : ' +')],
          [texts.imported, formatNumber(record.imported)],
          record.gone > 0 && [texts.gone, formatNumber(record.gone)],
          status === 'running' && [texts.rate, formatNumber(record.files_per_minute)],
          record.estimated_completion_time !== null && [
            texts.estimate,
            formatAgo(record.estimated_completion_time),
          ],
          record.completed_at !== null && [texts.ended, formatDateTime(record.completed_at)],
        ]}
      />
      <WorkActions
        changes={['imports']}
        act={async (action: 'pause' | 'resume' | 'cancel' | 'retry-failed') => {
          await client.api.POST(`/imports/{import_id}/${action}`, { params: { path } });
          return undefined;
        }}
        actions={[
          (runs(record) || repeats) && { action: 'pause', name: texts.pause },
          (status === 'paused' || status === 'failed') && { action: 'resume', name: texts.resume },
          status === 'completed' && repeats && { action: 'resume', name: texts.nextNow },
          failed > 0 && status === 'completed' && { action: 'retry-failed', name: texts.retry },
          (isOpen(record) || repeats) && {
            action: 'cancel',
            name: texts.cancel,
            question: { title: texts.cancelQuestion, text: texts.cancelNote, keep: texts.keep },
          },
        ]}
      />
      <ImportItems record={record} />
    </div>
  );
}

function ImportItems({ record }: { record: Import }) {
  const { id, completed_at: endedAt } = record;
  const [status, setStatus] = useState<(typeof ITEM_STATUSES)[number] | ''>('');
  const items = useInfiniteQuery({
    queryKey: ['imports', 'items', id, status, endedAt],
    initialPageParam: '',
    queryFn: async ({ pageParam: cursor, signal }) => {
      const query = { limit: ITEMS, ...(status && { status }), ...(cursor && { cursor }) };
      const params = { path: { import_id: id }, query };
      return (await client.api.GET('/imports/{import_id}/items', { params, signal })).data;
    },
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
    placeholderData: (former) => former,
    refetchInterval: runs(record) ? BUSY_MS : false,
  });
  if (items.isPending) return <Skeleton />;
  if (!items.data) return <ErrorNote error={items.error} onRetry={() => void items.refetch()} />;
  const shown = items.data.pages.flatMap((page) => page.items);
  return (
    <>
      <div className="max-w-60">
        <SelectInput
          label={texts.state}
          value={status}
          options={[['', texts.all], ...ITEM_STATUSES.map((name) => [name, TEXTS.status[name]] as const)]}
          onChange={({ target }) => setStatus(target.value as typeof status)}
        />
      </div>
      {shown.length === 0 && <p className="text-sm text-muted">{texts.noItems}</p>}
      {shown.length > 0 && (
        <Table caption={texts.items} columns={texts.columns}>
          {shown.map((item) => (
            <tr key={item.id}>
              <Cell className="max-w-72">
                {item.file_id === null ? (
                  <span className="block truncate">{item.key}</span>
                ) : (
                  <Link
                    to="/files/$fileId"
                    params={{ fileId: item.file_id }}
                    className="block truncate text-accent underline"
                  >
                    {item.key}
                  </Link>
                )}
              </Cell>
              <Cell>
                <StatusBadge status={item.status} />
              </Cell>
              <Cell className="whitespace-nowrap">
                {item.size_bytes === null ? '' : formatBytes(item.size_bytes)}
              </Cell>
              <Cell className="min-w-48 text-muted wrap-anywhere">
                {item.reason && byCode(item.reason.code, item.reason.message)}
              </Cell>
            </tr>
          ))}
        </Table>
      )}
      <MoreButton list={items} />
    </>
  );
}
