import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { ScrollText } from 'lucide-react';
import { useState } from 'react';
import type { Data } from 'darkroom-client';
import { client } from '../../lib/client.ts';
import { formatDateTime } from '../../lib/format.ts';
import { TEXTS } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { SelectInput, TextInput } from '../../ui/field.tsx';
import { Empty, ErrorNote, Skeleton } from '../../ui/page.tsx';
import { Badge } from '../../ui/status.tsx';
import { Cell, Table } from '../../ui/table.tsx';
import { AdminPage } from './parts.tsx';
import { SETTINGS_TEXTS } from './texts.ts';

const texts = SETTINGS_TEXTS.audit;
const SEVERITIES = ['info', 'warning', 'critical'] as const;
const RESULTS = ['success', 'failure'] as const;
const PAGE_SIZE = 100;
const TONES = {
  info: 'bg-sunken text-muted',
  warning: 'bg-warn-soft text-warn',
  critical: 'bg-bad-soft text-bad',
} as const;

type Entry = Data<'/tenant/audit-logs', 'get'>['items'][number];
/** Empty values do not filter. */
interface Filters {
  severity: '' | (typeof SEVERITIES)[number];
  result: '' | (typeof RESULTS)[number];
  date_from: string;
  date_to: string;
}

export function AuditLog() {
  const [filters, setFilters] = useState<Filters>({ severity: '', result: '', date_from: '', date_to: '' });
  const change = (part: Partial<Filters>) => setFilters({ ...filters, ...part });
  const list = useInfiniteQuery({
    queryKey: ['audit-log', filters],
    queryFn: async ({ signal, pageParam: offset }) => {
      const { severity, result, date_from: from, date_to: to } = filters;
      const query = {
        offset,
        limit: PAGE_SIZE,
        ...(severity && { severity }),
        ...(result && { result }),
        ...(from && { date_from: from }),
        ...(to && { date_to: to }),
      };
      return (await client.api.GET('/tenant/audit-logs', { params: { query }, signal })).data;
    },
    initialPageParam: 0,
    getNextPageParam: ({ has_more: more, offset, limit }) => (more ? offset + limit : undefined),
    placeholderData: keepPreviousData,
  });
  const entries = list.data?.pages.flatMap(({ items }) => items);
  return (
    <AdminPage title={SETTINGS_TEXTS.pages.auditLog}>
      <form className="grid grid-cols-2 gap-3 md:grid-cols-4" onSubmit={(event) => event.preventDefault()}>
        <SelectInput
          label={texts.severity}
          value={filters.severity}
          options={[['', texts.any], ...SEVERITIES.map((one) => [one, texts.severities[one]] as const)]}
          onChange={(event) => change({ severity: event.target.value as Filters['severity'] })}
        />
        <SelectInput
          label={texts.result}
          value={filters.result}
          options={[['', texts.any], ...RESULTS.map((one) => [one, texts.results[one]] as const)]}
          onChange={(event) => change({ result: event.target.value as Filters['result'] })}
        />
        <TextInput
          label={texts.from}
          type="date"
          value={filters.date_from}
          onChange={(event) => change({ date_from: event.target.value })}
        />
        <TextInput
          label={texts.to}
          type="date"
          value={filters.date_to}
          onChange={(event) => change({ date_to: event.target.value })}
        />
      </form>
      {list.error && <ErrorNote error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Skeleton lines={6} />}
      {entries?.length === 0 && <Empty icon={ScrollText} title={texts.empty} />}
      {entries && entries.length > 0 && (
        <Table
          caption={SETTINGS_TEXTS.pages.auditLog}
          columns={[texts.when, texts.event, texts.who, texts.address, texts.result]}
        >
          {entries.map((entry) => (
            <EntryRow key={entry.id} entry={entry} />
          ))}
        </Table>
      )}
      {list.hasNextPage && (
        <Button
          className="self-center"
          busy={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          {TEXTS.common.more}
        </Button>
      )}
    </AdminPage>
  );
}

function EntryRow({ entry }: { entry: Entry }) {
  return (
    <tr>
      <Cell className="whitespace-nowrap">{formatDateTime(entry.event_timestamp)}</Cell>
      <Cell>
        <div className="flex flex-wrap items-center gap-2">
          <span className="font-medium">{entry.action}</span>
          {entry.severity !== 'info' && (
            <Badge tone={TONES[entry.severity]}>{texts.severities[entry.severity]}</Badge>
          )}
        </div>
        {Object.keys(entry.metadata).length > 0 && (
          <details className="text-muted">
            <summary>{texts.details}</summary>
            <pre className="font-mono text-xs whitespace-pre-wrap wrap-anywhere">
              {JSON.stringify(entry.metadata, null, 2)}
            </pre>
          </details>
        )}
      </Cell>
      <Cell className="font-mono text-xs">
        {entry.user_id ?? (entry.api_key_id ? texts.key(entry.api_key_id) : '–')}
      </Cell>
      <Cell>{entry.ip_address ?? '–'}</Cell>
      <Cell>
        <Badge tone={entry.result === 'success' ? 'bg-good-soft text-good' : 'bg-bad-soft text-bad'}>
          {texts.results[entry.result]}
        </Badge>
        {entry.error_message && <p className="text-sm text-muted">{entry.error_message}</p>}
      </Cell>
    </tr>
  );
}
