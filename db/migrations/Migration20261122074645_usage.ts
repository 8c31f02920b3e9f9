import { Migration } from '@mikro-orm/migrations';

/** Usage events by month, their rollups, and what the credits of the ledger are for. */
export class Migration20261122074645_usage extends Migration {
  override name = 'Migration20261122074645_usage';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "usage_events" ("occurred_at" timestamptz not null, "id" uuid not null, "tenant_id" uuid not null, "type" text not null, "subtype" varchar(255) null, "endpoint" varchar(255) null, "method" varchar(255) null, "status" smallint null, "duration_ms" int not null, "error_code" varchar(255) null, "provider" varchar(255) null, "model" varchar(255) null, "input_tokens" int not null default 0, "output_tokens" int not null default 0, "thinking_tokens" int null, "cache_read_tokens" int not null default 0, "cache_creation_tokens" int not null default 0, "credits" int not null default 0, "reservation_id" varchar(255) null, "file_id" uuid null, "api_key_id" varchar(8) null, "user_id" uuid null, primary key ("occurred_at", "id")) partition by range ("occurred_at");`,
    );
    this.addSql(
      `alter table "usage_events" add constraint "usage_events_type_check" check ("type" in ('request', 'describe', 'batch_describe', 'extract', 'analyze', 'digitize'));`,
    );
    this.addSql(
      `create index "usage_events_tenant_newest" on "usage_events" ("tenant_id", "occurred_at", "id");`,
    );
    this.addSql(
      `create index "usage_events_key_newest" on "usage_events" ("tenant_id", "api_key_id", "occurred_at", "id") where "api_key_id" is not null;`,
    );
    this.addSql(
      `create index "usage_events_operation_newest" on "usage_events" ("tenant_id", "type", "occurred_at", "id") where "type" <> 'request';`,
    );
    this.addSql(
      `create index "usage_events_file_newest" on "usage_events" ("tenant_id", "occurred_at", "id") where "file_id" is not null and "input_tokens" + "output_tokens" > 0;`,
    );
    this.addSql(
      `create index "usage_events_operation_id" on "usage_events" ("id") where "type" <> 'request';`,
    );
    // What no month takes, so that no event is lost when months were not made ahead.
    this.addSql(`create table "usage_events_default" partition of "usage_events" default;`);
    this.addSql(
      `do $$ begin
         for months in 0..3 loop
           execute format('create table %I partition of usage_events for values from (%L) to (%L)',
             to_char(date_trunc('month', now() at time zone 'UTC') + make_interval(months => months), '"usage_events_"YYYY_MM'),
             (date_trunc('month', now() at time zone 'UTC') + make_interval(months => months)) at time zone 'UTC',
             (date_trunc('month', now() at time zone 'UTC') + make_interval(months => months + 1)) at time zone 'UTC');
         end loop;
       end $$;`,
    );

    this.addSql(
      `create table "usage_rollups" ("tenant_id" uuid not null, "grain" text not null, "starts_at" timestamptz not null, "type" text not null, "subtype" varchar(255) not null, "endpoint" varchar(255) not null, "method" varchar(255) not null, "api_key_id" varchar(8) not null, "events" bigint not null, "failed" bigint not null, "duration_ms" bigint not null, "input_tokens" bigint not null, "output_tokens" bigint not null, "cache_read_tokens" bigint not null, "cache_creation_tokens" bigint not null, "file_events" bigint not null, "file_input_tokens" bigint not null, "file_output_tokens" bigint not null, primary key ("tenant_id", "grain", "starts_at", "type", "subtype", "endpoint", "method", "api_key_id"));`,
    );
    this.addSql(
      `alter table "usage_rollups" add constraint "usage_rollups_grain_check" check ("grain" in ('hour', 'day'));`,
    );
    this.addSql(
      `alter table "usage_rollups" add constraint "usage_rollups_type_check" check ("type" in ('request', 'describe', 'batch_describe', 'extract', 'analyze', 'digitize'));`,
    );
    this.addSql(`create index "usage_rollups_oldest" on "usage_rollups" ("starts_at");`);
    this.addSql(
      `create table "usage_rollup_state" ("id" smallint primary key, "rolled_up_to" timestamptz not null);`,
    );
    this.addSql(`insert into "usage_rollup_state" values (1, date_trunc('hour', now(), 'UTC'));`);
    this.addSql(
      `create table "late_usage_hours" ("starts_at" timestamptz not null, primary key ("starts_at"));`,
    );

    this.addSql(
      `create table "usage_thresholds" ("tenant_id" uuid not null, "month" date not null, "threshold" smallint not null, "used" int not null, "monthly_limit" int not null, "reached_at" timestamptz not null, primary key ("tenant_id", "month", "threshold"));`,
    );
    this.addSql(
      `alter table "usage_thresholds" add constraint "usage_thresholds_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id");`,
    );

    this.addSql(`alter table "credit_entries" add "charges" jsonb null, add "api_key_id" varchar(8) null;`);
    // What older credits were for is not known in detail; most were for descriptions.
    this.addSql(
      `update "credit_entries" set "charges" = jsonb_build_array(jsonb_build_object('operation', 'describe', 'level', null, 'credits', "amount"));`,
    );
    this.addSql(`alter table "credit_entries" alter column "charges" set not null;`);
    this.addSql(`drop index "credit_entries_tenant_id_index";`);
    this.addSql(
      `create index "credit_entries_tenant_newest" on "credit_entries" ("tenant_id", "created_at");`,
    );
    this.addSql(
      `create table "credit_hours" ("tenant_id" uuid not null, "starts_at" timestamptz not null, "operation" text not null, "level" varchar(255) not null, "api_key_id" varchar(8) not null, "credits" int not null, primary key ("tenant_id", "starts_at", "operation", "level", "api_key_id"));`,
    );
    this.addSql(
      `alter table "credit_hours" add constraint "credit_hours_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id");`,
    );
    this.addSql(
      `alter table "credit_hours" add constraint "credit_hours_operation_check" check ("operation" in ('describe', 'batch_describe', 'extract', 'analyze', 'digitize'));`,
    );
    // The clock of the month and that of the entry differed by the length of a request, so the month decides.
    this.addSql(
      `insert into "credit_hours"
         select tenant_id, starts_at, 'describe', '', '', sum(amount)
         from (
           select tenant_id, amount, date_trunc('hour', least(greatest(created_at, month::timestamp at time zone 'UTC'),
             (month + interval '1 month' - interval '1 microsecond') at time zone 'UTC'), 'UTC') as starts_at
           from credit_entries opened where not closes and not exists (
             select from credit_entries closed
             where closed.reservation_id = opened.reservation_id and closed.kind = 'refund')) as kept
         group by tenant_id, starts_at;`,
    );

    this.addSql(`alter table "upload_intents" add "api_key_id" varchar(8) null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "usage_events" cascade;`);
    this.addSql(`drop table if exists "usage_rollups" cascade;`);
    this.addSql(`drop table if exists "usage_rollup_state" cascade;`);
    this.addSql(`drop table if exists "late_usage_hours" cascade;`);
    this.addSql(`drop table if exists "usage_thresholds" cascade;`);
    this.addSql(`drop table if exists "credit_hours" cascade;`);
    this.addSql(`drop index "credit_entries_tenant_newest";`);
    this.addSql(`alter table "credit_entries" drop column "charges", drop column "api_key_id";`);
    this.addSql(`create index "credit_entries_tenant_id_index" on "credit_entries" ("tenant_id");`);
    this.addSql(`alter table "upload_intents" drop column "api_key_id";`);
  }
}
