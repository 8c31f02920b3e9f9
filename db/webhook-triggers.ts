import { WEBHOOK_EVENTS, type Change, type EventTable } from '../domain/webhooks/events.ts';

/** What the events of a table say of a row, in SQL on `new`; `event` is the type of the event. */
interface Source {
  /** The arguments of `jsonb_build_object` for the data of the event; null values are left out. */
  data: string;
  /** The id of the resource whose `webhook_url` gets the event, and the id by which deliveries are ordered. */
  subject: string;
  orderBy: string;
  /** Whether the event is the last one of that resource. */
  ends: string;
  /** For rows without a tenant: the table that has it, and its columns. */
  from?: string;
  tenant?: string;
}

const SOURCES: Readonly<Record<EventTable, Source>> = {
  files: {
    data: `'file_id', new.id, 'session_id', new.session_id, 'media_type', new.media_type, 'status', new.primary_status`,
    subject: 'new.id',
    orderBy: 'new.id',
    ends: `event not in ('file.created', 'file.restored')`,
  },
  document_pages: {
    data: `'file_id', id, 'session_id', session_id, 'page_number', new.page_number, 'status', new.status`,
    subject: 'id',
    orderBy: 'id',
    ends: 'false',
    from: 'from files where id = new.file_id',
    tenant: 'tenant_id',
  },
  upload_intents: {
    data: `'upload_id', new.id, 'session_id', new.session_id, 'status', new.status,
      'file_id', case when new.status = 'COMPLETED' then coalesce(new.duplicate_of, new.file_id) end`,
    subject: 'new.file_id',
    orderBy: 'new.file_id',
    ends: `new.status = 'FAILED' or new.duplicate_of is not null`,
  },
  // The id is that of the future file.
  image_imports: {
    data: `'job_id', new.id, 'status', new.status,
      'file_id', case when new.status = 'completed' then coalesce(new.duplicate_of, new.id) end`,
    subject: 'new.id',
    orderBy: 'new.id',
    ends: `new.status = 'failed' or new.duplicate_of is not null`,
  },
  upload_sessions: {
    data: `'session_id', new.id, 'status', new.status`,
    subject: 'new.id',
    orderBy: 'new.id',
    ends: `event <> 'batch.started'`,
  },
  // The extraction that an upload asked for belongs to its file.
  schema_extractions: {
    data: `'extraction_id', new.id, 'file_id', new.file_id, 'status', new.status`,
    subject: `case new.source when 'upload' then new.file_id else new.id end`,
    orderBy: 'new.file_id',
    ends: `new.source <> 'upload'`,
  },
  exports: {
    data: `'export_id', new.id, 'status', new.status`,
    subject: 'new.id',
    orderBy: 'null',
    ends: 'true',
  },
  imports: {
    data: `'import_id', new.id, 'status', case new.status when 'waiting' then 'paused' else new.status end`,
    subject: 'new.id',
    orderBy: 'new.id',
    ends: 'false',
  },
  reprocessings: {
    data: `'reprocessing_id', new.id, 'status', new.status`,
    subject: 'null',
    orderBy: 'new.id',
    ends: 'false',
  },
  document_splits: {
    data: `'split_id', new.id, 'file_id', new.file_id, 'status', new.status`,
    subject: 'null',
    orderBy: 'new.id',
    ends: 'false',
  },
  usage_thresholds: {
    data: `'month', to_char(new.month, 'YYYY-MM'), 'threshold_percent', new.threshold,
      'credits_used', new.used, 'credits_limit', new.monthly_limit`,
    subject: 'null',
    orderBy: 'null',
    ends: 'false',
  },
  api_keys: { data: `'key_id', new.id`, subject: 'null', orderBy: 'null', ends: 'false' },
};

/** The SQL of the triggers that write events in the transaction of the change, and drop former ones. Safe to repeat. */
export function webhookTriggers(
  events: Readonly<Record<string, { after: readonly Change[] }>> = WEBHOOK_EVENTS,
): string {
  const functions = Object.entries(SOURCES).map(
    ([table, { data, subject, orderBy, ends, from = '', tenant = 'new.tenant_id' }]) => `
create or replace function "${table}_webhook"() returns trigger language plpgsql as $$
declare event text := tg_argv[0];
begin
  perform write_webhook_event(${tenant}, event, jsonb_build_object(${data}),
    ${subject}, ${orderBy}, ${ends})
  ${from};
  return null;
end $$;`,
  );
  // Triggers fire in the order of their names.
  const triggers = Object.entries(events).flatMap(([type, { after }], position) =>
    after.map(({ table, fires, condition }, index) => {
      const moment = fires === 'insert' ? 'added' : 'changed';
      const order = String(position).padStart(3, '0');
      const name = `${table}_webhook_${order}_${index}_${moment}`;
      return {
        name,
        sql: `
create or replace trigger "${name}" after ${fires} on "${table}" for each row
  when (${condition}) execute function "${table}_webhook"('${type}');`,
      };
    }),
  );
  const former = `
do $$ declare former record; begin
  for former in
    select tgname, tgrelid::regclass as of_table from pg_trigger join pg_proc on pg_proc.oid = tgfoid
    where proname in (${Object.keys(SOURCES)
      .map((table) => `'${table}_webhook'`)
      .join(', ')})
      and tgname not in (${triggers.map(({ name }) => `'${name}'`).join(', ')})
  loop execute format('drop trigger %I on %s', former.tgname, former.of_table); end loop;
end $$;`;
  return [...functions, ...triggers.map(({ sql }) => sql), former].join('\n');
}
