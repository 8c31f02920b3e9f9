import { Migration } from '@mikro-orm/migrations';

export class Migration20261130080000_splits extends Migration {
  override name = 'Migration20261130080000_splits';

  override up(): void | Promise<void> {
    this.addSql(`alter table "files" add column "parent_pages" text null;`);
    this.addSql(
      `create table "document_splits" ("id" uuid not null, "tenant_id" uuid not null, "file_id" uuid not null, "status" text not null, "by_rules" boolean not null, "dry_run" boolean not null, "parts" jsonb null, "left_out" jsonb not null, "parts_done" int not null, "error" jsonb null, "api_key_id" varchar(8) null, "engine_due_at" timestamptz null, "created_at" timestamptz not null, "updated_at" timestamptz not null, "completed_at" timestamptz null, primary key ("id"));`,
    );
    this.addSql(
      `create index "document_splits_engine_due" on "document_splits" ("engine_due_at") where "engine_due_at" is not null;`,
    );
    this.addSql(
      `create unique index "document_splits_open" on "document_splits" ("file_id") where "status" = 'processing';`,
    );
    this.addSql(`create index "document_splits_of_file" on "document_splits" ("file_id", "created_at");`);
    this.addSql(
      `alter table "document_splits" add constraint "document_splits_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id");`,
    );
    this.addSql(
      `alter table "document_splits" add constraint "document_splits_file_id_foreign" foreign key ("file_id") references "files" ("id") on update cascade on delete cascade;`,
    );
    this.addSql(
      `alter table "document_splits" add constraint "document_splits_status_check" check ("status" in ('processing', 'completed', 'failed', 'cancelled'));`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "document_splits" cascade;`);
    this.addSql(`alter table "files" drop column "parent_pages";`);
  }
}
