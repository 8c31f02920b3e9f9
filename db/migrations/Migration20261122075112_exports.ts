import { Migration } from '@mikro-orm/migrations';

/** Exports, connections to accounts at providers, and the history of descriptions in an order of its own. */
export class Migration20261122075112_exports extends Migration {
  override name = 'Migration20261122075112_exports';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "exports" ("id" uuid not null, "tenant_id" uuid not null, "kind" text not null, "format" text not null, "spec" jsonb not null, "status" text not null, "connection_id" uuid null, "spreadsheet_id" text null, "spreadsheet_url" text null, "fence" int not null default 0, "store_upload_id" text null, "record_count" int not null default 0, "expected_count" int null, "error" jsonb null, "engine_due_at" timestamptz null, "created_at" timestamptz not null, "started_at" timestamptz null, "completed_at" timestamptz null, "clean_at" timestamptz null, primary key ("id"));`,
    );
    this.addSql(`create index "exports_tenant_id_index" on "exports" ("tenant_id");`);
    this.addSql(
      `create index "exports_engine_due" on "exports" ("engine_due_at") where "engine_due_at" is not null;`,
    );
    this.addSql(`create index "exports_to_clean" on "exports" ("clean_at") where "clean_at" is not null;`);
    this.addSql(
      `create index "exports_open" on "exports" ("tenant_id") where "status" in ('pending', 'processing');`,
    );
    this.addSql(`create index "exports_created" on "exports" ("created_at");`);

    this.addSql(
      `create table "export_parts" ("export_id" uuid not null, "number" int not null, "etag" varchar(255) null, "cursor" jsonb not null, "records" int not null, primary key ("export_id", "number"));`,
    );

    this.addSql(
      `create table "connection_flows" ("state_hash" varchar(64) not null, "tenant_id" uuid not null, "user_id" uuid not null, "name" varchar(255) not null, "code_verifier" varchar(255) not null, "expires_at" timestamptz not null, primary key ("state_hash"));`,
    );
    this.addSql(`create index "connection_flows_expires_at_index" on "connection_flows" ("expires_at");`);

    this.addSql(
      `create table "connections" ("id" uuid not null, "tenant_id" uuid not null, "provider" text not null, "name" varchar(255) not null, "credentials" text not null, "encryption_key_id" varchar(32) not null, "error" text null, "created_by" uuid not null, "created_at" timestamptz not null, "last_used_at" timestamptz null, primary key ("id"));`,
    );
    this.addSql(`create index "connections_tenant_id_index" on "connections" ("tenant_id");`);
    this.addSql(`create index "connections_encryption_key_id_index" on "connections" ("encryption_key_id");`);

    this.addSql(
      `alter table "exports" add constraint "exports_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id");`,
    );
    this.addSql(
      `alter table "exports" add constraint "exports_kind_check" check ("kind" in ('files', 'descriptions'));`,
    );
    this.addSql(
      `alter table "exports" add constraint "exports_format_check" check ("format" in ('csv', 'xlsx', 'docx', 'google_sheets', 'json', 'jsonl'));`,
    );
    this.addSql(
      `alter table "exports" add constraint "exports_status_check" check ("status" in ('pending', 'processing', 'completed', 'failed'));`,
    );

    this.addSql(
      `alter table "export_parts" add constraint "export_parts_export_id_foreign" foreign key ("export_id") references "exports" ("id") on delete cascade;`,
    );

    this.addSql(
      `alter table "connection_flows" add constraint "connection_flows_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id");`,
    );

    this.addSql(
      `alter table "connections" add constraint "connections_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id");`,
    );
    this.addSql(
      `alter table "connections" add constraint "connections_provider_check" check ("provider" in ('google_sheets'));`,
    );
    this.addHistory();
  }

  override down(): void | Promise<void> {
    this.addSql(`drop trigger "file_descriptions_tenant" on "file_descriptions";`);
    this.addSql(`drop function "file_descriptions_tenant";`);
    this.addSql(`drop index "file_descriptions_history";`);
    this.addSql(`alter table "file_descriptions" drop column "id", drop column "tenant_id";`);
    this.addSql(`alter table "export_parts" drop constraint "export_parts_export_id_foreign";`);

    this.addSql(`drop table if exists "exports" cascade;`);
    this.addSql(`drop table if exists "export_parts" cascade;`);
    this.addSql(`drop table if exists "connection_flows" cascade;`);
    this.addSql(`drop table if exists "connections" cascade;`);
  }

  /** The tenant is the one of the file, which never changes: whatever writes a description need not know it. */
  private addHistory(): void {
    this.addSql(
      `alter table "file_descriptions" add "id" uuid not null default gen_random_uuid(), add "tenant_id" uuid null;`,
    );
    this.addSql(
      `update "file_descriptions" set "tenant_id" = "files"."tenant_id" from "files" where "files"."id" = "file_id";`,
    );
    this.addSql(`alter table "file_descriptions" alter "tenant_id" set not null;`);
    this.addSql(
      `create index "file_descriptions_history" on "file_descriptions" ("tenant_id", "created_at", "file_id", "generation");`,
    );
    this.addSql(`
      create function "file_descriptions_tenant"() returns trigger language plpgsql as $$ begin
        new.tenant_id := (select tenant_id from files where id = new.file_id);
        return new;
      end $$;`);
    this.addSql(`
      create trigger "file_descriptions_tenant" before insert on "file_descriptions"
      for each row execute function "file_descriptions_tenant"();`);
  }
}
