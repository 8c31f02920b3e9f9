import { Migration } from '@mikro-orm/migrations';

export class Migration20261122043228_access extends Migration {
  override name = 'Migration20261122043228_access';

  override up(): void | Promise<void> {
    // Unlogged: a counter costs no WAL, and may be lost in a crash.
    this.addSql(
      `create unlogged table "rate_limits" ("key" varchar(255) not null, "used" int not null, "resets_at" timestamptz not null, primary key ("key"));`,
    );
    this.addSql(`create index "rate_limits_resets_at_index" on "rate_limits" ("resets_at");`);

    this.addSql(
      `create table "audit_events" ("id" uuid not null, "tenant_id" uuid not null, "event_type" varchar(64) not null, "occurred_at" timestamptz not null, "severity" text not null, "user_id" uuid null, "api_key_id" varchar(8) null, "action" varchar(64) not null, "result" text not null, "ip_address" varchar(64) null, "resource_type" varchar(64) null, "resource_id" varchar(255) null, "error_message" text null, "metadata" jsonb not null, primary key ("id"));`,
    );
    this.addSql(
      `create index "audit_events_tenant_newest" on "audit_events" ("tenant_id", "occurred_at", "id");`,
    );

    this.addSql(
      `create table "login_sessions" ("id" uuid not null, "user_id" uuid not null, "tenant_id" uuid not null, "token_hash" varchar(64) not null, "user_agent" varchar(500) not null, "ip_address" varchar(64) not null, "created_at" timestamptz not null, "last_activity_at" timestamptz not null, "expires_at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(`create index "login_sessions_user_id_index" on "login_sessions" ("user_id");`);
    this.addSql(`create index "login_sessions_tenant_id_index" on "login_sessions" ("tenant_id");`);
    this.addSql(
      `alter table "login_sessions" add constraint "login_sessions_token_hash_unique" unique ("token_hash");`,
    );
    this.addSql(`create index "login_sessions_expires_at_index" on "login_sessions" ("expires_at");`);

    this.addSql(
      `alter table "tenants" add "is_active" boolean not null default true, add "max_requests_per_minute" int null, add "max_monthly_credits" int null, add "subscription_expires_at" timestamptz null, add "allowed_vlm_providers" text[] null, add "allowed_domains" text[] not null default '{}', add "custom_config" jsonb not null default '{}', add "updated_at" timestamptz not null default now();`,
    );

    this.addSql(
      `alter table "users" add "is_active" boolean not null default true, add "email_verified_at" timestamptz null, add "last_login_at" timestamptz null, add "preferences" jsonb not null default '{}';`,
    );

    this.addSql(
      `alter table "api_keys" add "scopes" text[] null, add "created_by" uuid null, add "last_used_at" timestamptz null;`,
    );
    this.addSql(
      `alter table "api_keys" add constraint "api_keys_created_by_foreign" foreign key ("created_by") references "users" ("id") on delete set null;`,
    );

    this.addSql(
      `alter table "audit_events" add constraint "audit_events_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id");`,
    );
    this.addSql(
      `alter table "audit_events" add constraint "audit_events_severity_check" check ("severity" in ('info', 'warning', 'critical'));`,
    );
    this.addSql(
      `alter table "audit_events" add constraint "audit_events_result_check" check ("result" in ('success', 'failure'));`,
    );

    this.addSql(
      `alter table "login_sessions" add constraint "login_sessions_user_id_foreign" foreign key ("user_id") references "users" ("id");`,
    );
    this.addSql(
      `alter table "login_sessions" add constraint "login_sessions_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id");`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "rate_limits" cascade;`);
    this.addSql(`drop table if exists "audit_events" cascade;`);
    this.addSql(`drop table if exists "login_sessions" cascade;`);

    this.addSql(`alter table "api_keys" drop constraint "api_keys_created_by_foreign";`);

    this.addSql(
      `alter table "api_keys" drop column "scopes", drop column "created_by", drop column "last_used_at";`,
    );

    this.addSql(
      `alter table "tenants" drop column "is_active", drop column "max_requests_per_minute", drop column "max_monthly_credits", drop column "subscription_expires_at", drop column "allowed_vlm_providers", drop column "allowed_domains", drop column "custom_config", drop column "updated_at";`,
    );

    this.addSql(
      `alter table "users" drop column "is_active", drop column "email_verified_at", drop column "last_login_at", drop column "preferences";`,
    );
  }
}
