import { Migration } from '@mikro-orm/migrations';

/** Imports of files from buckets, and connections to those. */
export class Migration20261129231006_imports extends Migration {
  override name = 'Migration20261129231006_imports';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "imports" ("id" uuid not null, "tenant_id" uuid not null, "api_key_id" varchar(8) null, "source" jsonb not null, "settings" jsonb not null, "concurrency" int not null, "status" text not null, "generation" int not null default 1, "reason" jsonb null, "retry_failed" boolean not null default false, "cursor" text null, "listed" boolean not null default false, "idle_pages" int not null default 0, "found" int not null default 0, "imported" int not null default 0, "skipped" int not null default 0, "failed" int not null default 0, "reasons" jsonb not null, "bytes" bigint not null default '0', "engine_due_at" timestamptz null, "created_at" timestamptz not null, "started_at" timestamptz null, "completed_at" timestamptz null, "updated_at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(`create index "imports_of_tenant" on "imports" ("tenant_id", "created_at");`);
    this.addSql(
      `create index "imports_engine_due" on "imports" ("engine_due_at") where "engine_due_at" is not null;`,
    );

    this.addSql(
      `create table "import_items" ("id" uuid not null, "import_id" uuid not null, "key" text not null, "etag" text not null, "size_bytes" bigint null, "attributes" jsonb null, "status" text not null, "reason" jsonb null, "file_id" uuid null, "counted" boolean not null default false, "ended_at" timestamptz null, primary key ("id"));`,
    );
    this.addSql(
      `create index "import_items_pending" on "import_items" ("import_id", "id") where "status" = 'pending';`,
    );
    this.addSql(
      `create index "import_items_uncounted" on "import_items" ("import_id") where "status" <> 'pending' and not "counted";`,
    );
    this.addSql(
      `create index "import_items_ended" on "import_items" ("import_id", "ended_at") where "status" <> 'pending';`,
    );
    this.addSql(`create index "import_items_by_status" on "import_items" ("import_id", "status", "id");`);

    this.addSql(`alter table "connections" drop constraint "connections_provider_check";`);
    this.addSql(`alter table "connections" add "bucket" jsonb null;`);
    this.addSql(
      `alter table "connections" add constraint "connections_provider_check" check ("provider" in ('google_sheets', 's3'));`,
    );

    this.addSql(
      `alter table "imports" add constraint "imports_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id");`,
    );
    this.addSql(
      `alter table "imports" add constraint "imports_status_check" check ("status" in ('pending', 'running', 'waiting', 'paused', 'completed', 'failed', 'cancelled'));`,
    );

    this.addSql(
      `alter table "import_items" add constraint "import_items_import_id_foreign" foreign key ("import_id") references "imports" ("id") on delete cascade;`,
    );
    this.addSql(
      `alter table "import_items" add constraint "import_items_status_check" check ("status" in ('pending', 'imported', 'skipped', 'failed'));`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "import_items" drop constraint "import_items_import_id_foreign";`);

    this.addSql(`drop table if exists "imports" cascade;`);
    this.addSql(`drop table if exists "import_items" cascade;`);

    this.addSql(`alter table "connections" drop constraint "connections_provider_check";`);
    this.addSql(`alter table "connections" drop column "bucket";`);
    this.addSql(
      `alter table "connections" add constraint "connections_provider_check" check ("provider" in ('google_sheets'));`,
    );
  }
}
