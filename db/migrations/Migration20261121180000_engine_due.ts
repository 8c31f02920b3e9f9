import { Migration } from '@mikro-orm/migrations';

export class Migration20261121180000_engine_due extends Migration {
  override name = 'Migration20261121180000_engine_due';

  override up(): void | Promise<void> {
    this.addSql(`alter table "files" add "engine_due_at" timestamptz null;`);
    this.addSql(
      `update "files" set "engine_due_at" = coalesce("index_due_at", "updated_at") where "index_due_at" is not null
       or ("workflow_started_at" is null and "deleted_at" is null and "primary_status" in ('pending', 'processing'));`,
    );
    this.addSql(`drop index "files_not_started";`);
    this.addSql(`drop index "files_index_due";`);
    this.addSql(`alter table "files" drop column "index_due_at";`);
    this.addSql(
      `create index "files_engine_due" on "files" ("engine_due_at") where "engine_due_at" is not null;`,
    );

    this.addSql(`alter table "upload_sessions" add "engine_due_at" timestamptz null;`);
    this.addSql(
      `update "upload_sessions" set "engine_due_at" = coalesce("untold_since", "created_at") where "untold_since" is not null
       or ("workflow_started_at" is null and "status" in ('pending', 'uploading', 'processing'));`,
    );
    this.addSql(`drop index "upload_sessions_not_started";`);
    this.addSql(`drop index "upload_sessions_untold";`);
    this.addSql(
      `alter table "upload_sessions" drop column "workflow_started_at", drop column "untold_since";`,
    );
    this.addSql(
      `create index "upload_sessions_engine_due" on "upload_sessions" ("engine_due_at") where "engine_due_at" is not null;`,
    );

    this.addSql(`alter table "upload_intents" add "engine_due_at" timestamptz null;`);
    this.addSql(`update "upload_intents" set "engine_due_at" = "updated_at" where "signalled_at" is null;`);
    this.addSql(`drop index "upload_intents_unsent";`);
    this.addSql(`alter table "upload_intents" drop column "signalled_at";`);
    this.addSql(
      `create index "upload_intents_engine_due" on "upload_intents" ("engine_due_at") where "engine_due_at" is not null;`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "upload_intents" add "signalled_at" timestamptz null;`);
    this.addSql(`update "upload_intents" set "signalled_at" = "updated_at" where "engine_due_at" is null;`);
    this.addSql(`drop index "upload_intents_engine_due";`);
    this.addSql(`alter table "upload_intents" drop column "engine_due_at";`);
    this.addSql(
      `create index "upload_intents_unsent" on "upload_intents" ("updated_at") where "signalled_at" is null;`,
    );

    this.addSql(
      `alter table "upload_sessions" add "workflow_started_at" timestamptz null, add "untold_since" timestamptz null;`,
    );
    this.addSql(
      `update "upload_sessions" set "workflow_started_at" = "created_at", "untold_since" = "engine_due_at";`,
    );
    this.addSql(`drop index "upload_sessions_engine_due";`);
    this.addSql(`alter table "upload_sessions" drop column "engine_due_at";`);
    this.addSql(
      `create index "upload_sessions_not_started" on "upload_sessions" ("created_at") where "workflow_started_at" is null;`,
    );
    this.addSql(
      `create index "upload_sessions_untold" on "upload_sessions" ("untold_since") where "untold_since" is not null;`,
    );

    this.addSql(`alter table "files" add "index_due_at" timestamptz null;`);
    this.addSql(`update "files" set "index_due_at" = "engine_due_at" where "described_at" is not null;`);
    this.addSql(`drop index "files_engine_due";`);
    this.addSql(`alter table "files" drop column "engine_due_at";`);
    this.addSql(
      `create index "files_not_started" on "files" ("created_at") where "workflow_started_at" is null;`,
    );
    this.addSql(
      `create index "files_index_due" on "files" ("index_due_at") where "index_due_at" is not null;`,
    );
  }
}
