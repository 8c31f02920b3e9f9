import { Migration } from '@mikro-orm/migrations';

export class Migration20261129234523_reprocessings extends Migration {
  override name = 'Migration20261129234523_reprocessings';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "reprocessings" ("id" uuid not null, "tenant_id" uuid not null, "status" text not null, "selection" jsonb not null, "parts" text[] not null, "schema_id" uuid null, "reason" text not null, "files_per_minute" int null, "api_key_id" varchar(8) null, "total_count" int not null, "estimated_credits" bigint not null, "cursor" jsonb null, "exhausted" boolean not null default false, "completed_count" int not null default 0, "failed_count" int not null default 0, "skipped_count" int not null default 0, "pause_reason" jsonb null, "error" jsonb null, "restored_count" int not null default 0, "rollback_cursor" uuid null, "engine_due_at" timestamptz null, "created_at" timestamptz not null, "completed_at" timestamptz null, "closed_at" timestamptz null, "close_at" timestamptz null, primary key ("id"));`,
    );
    this.addSql(
      `create index "reprocessings_engine_due" on "reprocessings" ("engine_due_at") where "engine_due_at" is not null;`,
    );
    this.addSql(
      `create index "reprocessings_to_close" on "reprocessings" ("close_at") where "close_at" is not null;`,
    );
    this.addSql(`create index "reprocessings_of_tenant" on "reprocessings" ("tenant_id", "created_at");`);

    this.addSql(
      `create table "reprocessing_files" ("reprocessing_id" uuid not null, "file_id" uuid not null, "status" text not null, "generation" int null, "components" text[] not null, "error" jsonb null, "description_before" text null, "described_at_before" timestamptz null, "tags_before" text[] null, "started_at" timestamptz not null, "ended_at" timestamptz null, primary key ("reprocessing_id", "file_id"));`,
    );
    this.addSql(`create index "reprocessing_files_of_file" on "reprocessing_files" ("file_id");`);
    this.addSql(
      `create index "reprocessing_files_by_status" on "reprocessing_files" ("reprocessing_id", "status", "file_id");`,
    );

    this.addSql(
      `alter table "reprocessings" add constraint "reprocessings_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id");`,
    );
    this.addSql(
      `alter table "reprocessings" add constraint "reprocessings_status_check" check ("status" in ('processing', 'paused', 'completed', 'cancelled', 'failed', 'rolling_back', 'rolled_back'));`,
    );

    this.addSql(
      `alter table "reprocessing_files" add constraint "reprocessing_files_reprocessing_id_foreign" foreign key ("reprocessing_id") references "reprocessings" ("id") on update cascade on delete cascade;`,
    );
    this.addSql(
      `alter table "reprocessing_files" add constraint "reprocessing_files_file_id_foreign" foreign key ("file_id") references "files" ("id") on update cascade on delete cascade;`,
    );
    this.addSql(
      `alter table "reprocessing_files" add constraint "reprocessing_files_status_check" check ("status" in ('processing', 'completed', 'failed', 'skipped'));`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(
      `alter table "reprocessing_files" drop constraint "reprocessing_files_reprocessing_id_foreign";`,
    );

    this.addSql(`drop table if exists "reprocessings" cascade;`);
    this.addSql(`drop table if exists "reprocessing_files" cascade;`);
  }
}
