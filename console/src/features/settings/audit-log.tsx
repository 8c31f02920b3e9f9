import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ScrollText } from 'lucide-react';
import { useState } from 'react';
import type { Data } from 'darkroom-client';
import { client } from '../../lib/client.ts';
import { formatDateTime } from '../../lib/format.ts';
import { SelectInput, TextInput } from '../../ui/field.tsx';
import { Empty, ErrorNote, MoreButton, Skeleton } from '../../ui/page.tsx';
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
interface Props {
  entry: Entry;
}

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
          columns={[texts.when, texts.event, texts.what, texts.who, texts.address, texts.result]}
        >
          {entries.map((entry) => (
            <EntryRow key={entry.id} entry={entry} />
          ))}
        </Table>
      )}
      <MoreButton list={list} />
    </AdminPage>
  );
}

/** Who did it: a member, a key, somebody who has left, or the service. */
function Actor({ entry: { user_id: user, api_key_id: key, actor_name: name, actor_email: email } }: Props) {
  if (key) return texts.key(name ?? key);
  if (!user) return texts.service;
  if (name === null) {
    return (
      <>
        {texts.former} <code className="block text-xs text-muted">{user}</code>
      </>
    );
  }
  return (
    <>
      {name}
      {email !== name && <span className="block text-sm text-muted">{email}</span>}
    </>
  );
}

/** The pages of what events are about. */
const PAGES = {
  api_key: () => '/settings/keys',
  connection: () => '/settings/connections',
  file: (id: string) => `/files/${id}`,
  storage_config: () => '/settings/storage',
  tenant: () => '/settings/organisation',
  user: () => '/settings/members',
  webhook: (id: string) => `/settings/webhooks/${id}`,
} as const;

/** What it was done to: its name, or its kind where it has none any more, with a link to its page. */
function Thing({ entry: { resource_type: type, resource_id: id, resource_name: name } }: Props) {
  if (!type || !id) return '–';
  const text = name ?? texts.things[type as keyof typeof texts.things] ?? type;
  const page = PAGES[type as keyof typeof PAGES]?.(id);
  return page && (name !== null || type === 'storage_config') ? (
    <Link to={page} className="text-accent underline">
      {text}
    </Link>
  ) : (
    text
  );
}

function EntryRow({ entry }: Props) {
  return (
    <tr>
      <Cell className="whitespace-nowrap">{formatDateTime(entry.event_timestamp)}</Cell>
      <Cell>
        <div className="flex flex-wrap items-center gap-2">
          <span className="font-medium" title={entry.event_type}>
            {texts.events[entry.event_type as keyof typeof texts.events] ?? entry.event_type}
          </span>
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
      <Cell className="wrap-anywhere">
        <Thing entry={entry} />
      </Cell>
      <Cell className="wrap-anywhere">
        <Actor entry={entry} />
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
