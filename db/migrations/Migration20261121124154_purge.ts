import { Migration } from '@mikro-orm/migrations';

export class Migration20261121124154_purge extends Migration {
  override name = 'Migration20261121124154_purge';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "file_removals" ("file_id" uuid not null, "began_at" timestamptz null, "object_keys" text[] not null, "vectors" int not null, primary key ("file_id"));`,
    );
    this.addSql(
      `create index "file_removals_begun" on "file_removals" ("began_at") where "began_at" is not null;`,
    );

    this.addSql(
      `create table "deletion_receipts" ("file_id" uuid not null, "tenant_id" uuid not null, "filename" varchar(255) not null, "sha256" varchar(64) not null, "deleted_at" timestamptz not null, "purged_at" timestamptz not null, "rows" int not null, "objects" int not null, "vectors" int not null, primary key ("file_id"));`,
    );
    this.addSql(
      `create index "deletion_receipts_tenant" on "deletion_receipts" ("tenant_id", "purged_at", "file_id");`,
    );

    this.addSql(
      `create index "files_deleted" on "files" ("deleted_at", "id") where "deleted_at" is not null;`,
    );

    this.addSql(
      `alter table "upload_session_items" add "purged_as" text null, add "purged_version" bigint null;`,
    );
    this.addSql(
      `create index "upload_session_items_file" on "upload_session_items" ("file_id") where "file_id" is not null;`,
    );
    this.addSql(
      `alter table "upload_session_items" add constraint "upload_session_items_purged_as_check" check ("purged_as" in ('completed', 'failed', 'skipped', 'pending'));`,
    );

    this.addSql(
      `alter table "file_removals" add constraint "file_removals_file_id_foreign" foreign key ("file_id") references "files" ("id") on update cascade on delete cascade;`,
    );

    this.addSql(
      `alter table "deletion_receipts" add constraint "deletion_receipts_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id");`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "file_removals" cascade;`);
    this.addSql(`drop table if exists "deletion_receipts" cascade;`);

    this.addSql(`drop index "files_deleted";`);

    this.addSql(`drop index "upload_session_items_file";`);
    this.addSql(`alter table "upload_session_items" drop constraint "upload_session_items_purged_as_check";`);
    this.addSql(`alter table "upload_session_items" drop column "purged_as", drop column "purged_version";`);
  }
}
