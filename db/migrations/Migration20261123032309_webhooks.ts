import { Migration } from '@mikro-orm/migrations';

/** Tables of webhooks, and the triggers that write an event in the transaction of the change that it reports. */
export class Migration20261123032309_webhooks extends Migration {
  override name = 'Migration20261123032309_webhooks';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "webhook_events" ("id" uuid not null, "tenant_id" uuid not null, "type" text not null, "data" jsonb not null, "created_at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(`create index "webhook_events_created" on "webhook_events" ("created_at");`);

    this.addSql(
      `create table "webhook_subscriptions" ("id" uuid not null, "tenant_id" uuid not null, "url" text not null, "description" text null, "event_types" text[] not null, "ordered" boolean not null default false, "enabled" boolean not null default true, "disabled_reason" text null, "disabled_at" timestamptz null, "failing_since" timestamptz null, "last_dispatched_at" timestamptz null, "secret" text not null, "previous_secret" text null, "previous_secret_until" timestamptz null, "encryption_key_id" varchar(32) not null, "subject_kind" text null, "subject_id" uuid null, "subject_ended_at" timestamptz null, "created_by" uuid null, "created_at" timestamptz not null, "updated_at" timestamptz not null, "deleted_at" timestamptz null, primary key ("id"));`,
    );
    this.addSql(
      `create index "webhook_subscriptions_encryption_key_id_index" on "webhook_subscriptions" ("encryption_key_id");`,
    );
    this.addSql(
      `create index "webhook_subscriptions_of_tenant" on "webhook_subscriptions" ("tenant_id") where "subject_id" is null and "deleted_at" is null;`,
    );
    this.addSql(
      `create index "webhook_subscriptions_of_subject" on "webhook_subscriptions" ("subject_id") where "subject_id" is not null;`,
    );
    this.addSql(
      `create index "webhook_subscriptions_of_requests" on "webhook_subscriptions" ("tenant_id", "created_at" desc, "id" desc) where "subject_id" is not null;`,
    );
    this.addSql(
      `create index "webhook_subscriptions_ended" on "webhook_subscriptions" ("subject_ended_at") where "subject_ended_at" is not null;`,
    );
    this.addSql(
      `create index "webhook_subscriptions_disabled" on "webhook_subscriptions" ("disabled_at") where "subject_id" is not null and "disabled_at" is not null;`,
    );
    this.addSql(
      `create index "webhook_subscriptions_deleted" on "webhook_subscriptions" ("deleted_at") where "deleted_at" is not null;`,
    );

    this.addSql(
      `create table "webhook_deliveries" ("id" uuid not null, "tenant_id" uuid not null, "subscription_id" uuid not null, "event_id" uuid not null, "sequence" bigserial, "order_key" uuid null, "status" text not null, "generation" int not null default 1, "attempts" int not null default 0, "next_attempt_at" timestamptz null, "engine_due_at" timestamptz null, "created_at" timestamptz not null, "ended_at" timestamptz null, primary key ("id"));`,
    );
    this.addSql(`create index "webhook_deliveries_event_id_index" on "webhook_deliveries" ("event_id");`);
    this.addSql(
      `create index "webhook_deliveries_engine_due" on "webhook_deliveries" ("engine_due_at") where "engine_due_at" is not null;`,
    );
    this.addSql(
      `create index "webhook_deliveries_pending" on "webhook_deliveries" ("tenant_id", "subscription_id", "sequence") where "status" = 'pending';`,
    );
    this.addSql(
      `create index "webhook_deliveries_admitted" on "webhook_deliveries" ("tenant_id", "status", "subscription_id") where "status" in ('sending', 'retrying');`,
    );
    this.addSql(
      `create index "webhook_deliveries_in_order" on "webhook_deliveries" ("subscription_id", "order_key", "sequence") where "status" in ('pending', 'sending', 'retrying') and "order_key" is not null;`,
    );
    this.addSql(
      `create index "webhook_deliveries_ended" on "webhook_deliveries" ("ended_at") where "ended_at" is not null;`,
    );
    this.addSql(
      `create index "webhook_deliveries_undelivered" on "webhook_deliveries" ("subscription_id", "sequence") where "status" in ('failed', 'cancelled');`,
    );
    this.addSql(
      `create index "webhook_deliveries_of_subscription" on "webhook_deliveries" ("subscription_id", "sequence");`,
    );

    this.addSql(
      `create table "webhook_attempts" ("delivery_id" uuid not null, "number" int not null, "started_at" timestamptz not null, "latency_ms" int not null, "status_code" smallint null, "error" text null, "answer" text null, primary key ("delivery_id", "number"));`,
    );

    this.addSql(
      `alter table "webhook_subscriptions" add constraint "webhook_subscriptions_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id");`,
    );
    this.addSql(
      `alter table "webhook_subscriptions" add constraint "webhook_subscriptions_subject_kind_check" check ("subject_kind" in ('file', 'batch', 'extraction', 'export'));`,
    );

    this.addSql(
      `alter table "webhook_deliveries" add constraint "webhook_deliveries_subscription_id_foreign" foreign key ("subscription_id") references "webhook_subscriptions" ("id") on delete cascade;`,
    );
    this.addSql(
      `alter table "webhook_deliveries" add constraint "webhook_deliveries_event_id_foreign" foreign key ("event_id") references "webhook_events" ("id") on delete cascade;`,
    );
    this.addSql(
      `alter table "webhook_deliveries" add constraint "webhook_deliveries_status_check" check ("status" in ('pending', 'sending', 'retrying', 'delivered', 'failed', 'cancelled'));`,
    );

    this.addSql(
      `alter table "webhook_attempts" add constraint "webhook_attempts_delivery_id_foreign" foreign key ("delivery_id") references "webhook_deliveries" ("id") on delete cascade;`,
    );

    this.addSql(WRITE_EVENT);
    for (const [table, { body, triggers }] of Object.entries(SOURCES)) {
      this.addSql(
        `create function "${table}_webhook"() returns trigger language plpgsql as $$ begin ${body} return null; end $$;`,
      );
      for (const [name, [when, condition, argument = '']] of Object.entries(triggers)) {
        this.addSql(
          `create trigger "${table}_webhook_${name}" after ${when} on "${table}" for each row
           when (${condition}) execute function "${table}_webhook"(${argument});`,
        );
      }
    }
    this.addSql(
      `create function "webhook_deliveries_notify"() returns trigger language plpgsql
       as $$ begin perform pg_notify('webhook_deliveries', ''); return null; end $$;`,
    );
    this.addSql(
      `create trigger "webhook_deliveries_added" after insert on "webhook_deliveries"
       for each statement execute function "webhook_deliveries_notify"();`,
    );
    this.addSql(
      `create trigger "webhook_deliveries_moved" after update of "status" on "webhook_deliveries" for each row
       when (new.status not in ('sending', 'retrying')) execute function "webhook_deliveries_notify"();`,
    );
  }

  override down(): void | Promise<void> {
    for (const table of Object.keys(SOURCES)) this.addSql(`drop function "${table}_webhook" cascade;`);
    this.addSql(`drop function "write_webhook_event";`);
    this.addSql(
      `drop table "webhook_attempts", "webhook_deliveries", "webhook_events", "webhook_subscriptions";`,
    );
    this.addSql(`drop function "webhook_deliveries_notify";`);
  }
}

/**
 * Writes an event, and its delivery to each subscription that asks for it. Without one it writes nothing. Ending a
 * subject comes last, so that its subscription gets the event that ends it.
 */
const WRITE_EVENT = `
  create function "write_webhook_event"(
    tenant uuid, event_type text, event_data jsonb, thing uuid, order_by_key uuid, ends_thing boolean
  ) returns void language plpgsql as $$ declare
    subscriptions uuid[];
    event uuid := gen_random_uuid();
    occurred_at timestamptz := clock_timestamp();
  begin
    select array_agg(id) into subscriptions from (
      select id from webhook_subscriptions
      where tenant_id = tenant and subject_id is null and deleted_at is null and enabled
        and event_types && array['*', split_part(event_type, '.', 1) || '.*', event_type]
      union all
      select id from webhook_subscriptions
      where subject_id = thing and tenant_id = tenant and subject_ended_at is null and deleted_at is null and enabled
    ) as subscribed
    where exists (select from tenants where tenants.id = tenant and tenants.deleted_at is null);
    if subscriptions is null then return; end if;
    insert into webhook_events (id, tenant_id, type, data, created_at)
    values (event, tenant, event_type, jsonb_strip_nulls(event_data), occurred_at);
    insert into webhook_deliveries (id, tenant_id, subscription_id, event_id, order_key, status, created_at)
    select gen_random_uuid(), tenant, subscription, event, order_by_key, 'pending', occurred_at
    from unnest(subscriptions) as subscription;
    if ends_thing then
      update webhook_subscriptions set subject_ended_at = occurred_at where subject_id = thing and tenant_id = tenant;
    end if;
  end $$;`;

/** What a trigger fires on, its condition, and the argument of its function. */
type Trigger = readonly [when: string, condition: string, argument?: string];

const FILE_ENDED = `('completed', 'partially_completed', 'failed')`;
const SESSION_OPEN = `('pending', 'uploading', 'processing')`;

const ended = (column: string): Trigger => [
  `update of "${column}"`,
  `old.${column} is distinct from new.${column} and new.${column} in ('completed', 'failed')`,
];

/**
 * The tables that events report of. The types of events are those of domain/webhooks/events.ts; statuses are part
 * of their names.
 */
const SOURCES: Readonly<Record<string, { body: string; triggers: Readonly<Record<string, Trigger>> }>> = {
  files: {
    body: `
      perform write_webhook_event(
        new.tenant_id, 'file.' || coalesce(tg_argv[0], new.primary_status),
        jsonb_build_object('file_id', new.id, 'session_id', new.session_id, 'media_type', new.media_type,
          'status', new.primary_status),
        new.id, new.id, coalesce(tg_argv[0] = 'deleted', true));`,
    triggers: {
      added: ['insert', 'true', `'created'`],
      // A file of which nothing is to be processed has ended when it is stored.
      added_ended: ['insert', `new.primary_status in ${FILE_ENDED}`],
      ended: [
        'update of "primary_status"',
        `old.primary_status is distinct from new.primary_status and new.primary_status in ${FILE_ENDED}
         and old.deleted_at is null and new.deleted_at is null`,
      ],
      deleted: [
        'update of "deleted_at"',
        'old.deleted_at is null and new.deleted_at is not null',
        `'deleted'`,
      ],
      restored: [
        'update of "deleted_at"',
        'old.deleted_at is not null and new.deleted_at is null',
        `'restored'`,
      ],
    },
  },
  document_pages: {
    body: `
      perform write_webhook_event(
        tenant_id, 'document.page.failed',
        jsonb_build_object('file_id', id, 'session_id', session_id, 'page_number', new.page_number, 'status', new.status),
        id, id, false)
      from files where id = new.file_id;`,
    triggers: {
      failed: ['update of "status"', `old.status is distinct from new.status and new.status = 'failed'`],
    },
  },
  upload_intents: {
    body: `
      perform write_webhook_event(
        new.tenant_id,
        'upload.' || case when new.error->>'code' = 'UPLOAD_EXPIRED' then 'expired' else lower(new.status) end,
        jsonb_build_object('upload_id', new.id, 'session_id', new.session_id, 'status', new.status,
          'file_id', case when new.status = 'COMPLETED' then coalesce(new.duplicate_of, new.file_id) end),
        new.file_id, new.file_id, new.status = 'FAILED' or new.duplicate_of is not null);`,
    triggers: {
      ended: [
        'update of "status"',
        `old.status is distinct from new.status and new.status in ('COMPLETED', 'FAILED')`,
      ],
    },
  },
  image_imports: {
    // The id is that of the future file.
    body: `
      perform write_webhook_event(
        new.tenant_id, 'upload.' || new.status,
        jsonb_build_object('job_id', new.id, 'status', new.status,
          'file_id', case when new.status = 'completed' then coalesce(new.duplicate_of, new.id) end),
        new.id, new.id, new.status = 'failed' or new.duplicate_of is not null);`,
    triggers: { ended: ended('status') },
  },
  upload_sessions: {
    body: `
      perform write_webhook_event(
        new.tenant_id,
        'batch.' || case when new.status in ${SESSION_OPEN} then 'started'
          when new.status = 'failed' then 'completed' else new.status end,
        jsonb_build_object('session_id', new.id, 'status', new.status),
        new.id, new.id, new.status not in ${SESSION_OPEN});`,
    triggers: {
      added: ['insert', 'true'],
      // A retry of the failed files starts it again.
      changed: [
        'update of "status"',
        `(old.status in ${SESSION_OPEN}) is distinct from (new.status in ${SESSION_OPEN})`,
      ],
    },
  },
  schema_extractions: {
    // The extraction that an upload asked for belongs to its file.
    body: `
      perform write_webhook_event(
        new.tenant_id, 'extraction.' || new.status,
        jsonb_build_object('extraction_id', new.id, 'file_id', new.file_id, 'status', new.status),
        case new.source when 'upload' then new.file_id else new.id end, new.file_id, new.source <> 'upload');`,
    triggers: { ended: ended('status') },
  },
  exports: {
    body: `
      perform write_webhook_event(
        new.tenant_id, 'export.' || new.status,
        jsonb_build_object('export_id', new.id, 'status', new.status), new.id, null, true);`,
    triggers: { ended: ended('status') },
  },
  usage_thresholds: {
    body: `
      perform write_webhook_event(
        new.tenant_id, 'usage.threshold_reached',
        jsonb_build_object('month', to_char(new.month, 'YYYY-MM'), 'threshold_percent', new.threshold,
          'credits_used', new.used, 'credits_limit', new.monthly_limit),
        null, null, false);`,
    triggers: { added: ['insert', 'true'] },
  },
  api_keys: {
    body: `
      perform write_webhook_event(
        new.tenant_id, 'api_key.created', jsonb_build_object('key_id', new.id), null, null, false);`,
    triggers: { added: ['insert', 'true'] },
  },
};
