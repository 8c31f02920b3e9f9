import { Migration } from '@mikro-orm/migrations';

export class Migration20261121112130_upload_sessions extends Migration {
  override name = 'Migration20261121112130_upload_sessions';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "upload_sessions" ("id" uuid not null, "tenant_id" uuid not null, "upload_method" text not null, "status" text not null, "generation" int not null, "version" int not null, "sealed_by" text null, "paused_at" timestamptz null, "error" jsonb null, "workflow_started_at" timestamptz null, "untold_since" timestamptz null, "created_at" timestamptz not null, "started_at" timestamptz not null, "completed_at" timestamptz null, primary key ("id"));`,
    );
    this.addSql(
      `create index "upload_sessions_tenant_created" on "upload_sessions" ("tenant_id", "created_at", "id");`,
    );
    this.addSql(
      `create index "upload_sessions_not_started" on "upload_sessions" ("created_at") where "workflow_started_at" is null;`,
    );
    this.addSql(
      `create index "upload_sessions_untold" on "upload_sessions" ("untold_since") where "untold_since" is not null;`,
    );

    this.addSql(
      `create table "upload_session_items" ("session_id" uuid not null, "index" int not null, "filename" varchar(255) not null, "state" text not null, "file_id" uuid null, "error" jsonb null, "retryable" boolean not null, "created_at" timestamptz not null, primary key ("session_id", "index"));`,
    );

    this.addSql(`alter table "files" add "session_id" uuid null;`);
    this.addSql(`create index "files_session" on "files" ("session_id") where "session_id" is not null;`);

    this.addSql(
      `alter table "upload_sessions" add constraint "upload_sessions_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id");`,
    );
    this.addSql(
      `alter table "upload_sessions" add constraint "upload_sessions_upload_method_check" check ("upload_method" in ('streaming', 'presigned'));`,
    );
    this.addSql(
      `alter table "upload_sessions" add constraint "upload_sessions_status_check" check ("status" in ('pending', 'uploading', 'processing', 'completed', 'failed', 'expired', 'cancelled'));`,
    );
    this.addSql(
      `alter table "upload_sessions" add constraint "upload_sessions_sealed_by_check" check ("sealed_by" in ('client', 'connection', 'expiry', 'cancel'));`,
    );

    this.addSql(
      `alter table "upload_session_items" add constraint "upload_session_items_session_id_foreign" foreign key ("session_id") references "upload_sessions" ("id") on update no action on delete cascade;`,
    );
    this.addSql(
      `alter table "upload_session_items" add constraint "upload_session_items_state_check" check ("state" in ('uploading', 'stored', 'skipped', 'rejected', 'missing'));`,
    );

    // Whatever writes, in whichever process: the live channel of the session hears of it when it is committed.
    this.addSql(
      `create function tell_session() returns trigger language plpgsql as 'begin perform pg_notify(tg_argv[0], to_jsonb(new)->>tg_argv[1]); return null; end';`,
    );
    this.addSql(
      `create trigger files_tell_session after insert or update on "files" for each row when (new.session_id is not null) execute function tell_session('upload_sessions', 'session_id');`,
    );
    this.addSql(
      `create trigger upload_sessions_tell after insert or update on "upload_sessions" for each row execute function tell_session('upload_sessions', 'id');`,
    );
    this.addSql(
      `create trigger upload_session_items_tell after insert or update on "upload_session_items" for each row execute function tell_session('upload_sessions', 'session_id');`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(
      `alter table "upload_session_items" drop constraint "upload_session_items_session_id_foreign";`,
    );

    this.addSql(`drop trigger if exists files_tell_session on "files";`);
    this.addSql(`drop table if exists "upload_sessions" cascade;`);
    this.addSql(`drop table if exists "upload_session_items" cascade;`);

    this.addSql(`drop index "files_session";`);
    this.addSql(`alter table "files" drop column "session_id";`);
    this.addSql(`drop function if exists tell_session cascade;`);
  }
}
