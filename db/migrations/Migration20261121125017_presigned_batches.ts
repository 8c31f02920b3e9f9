import { Migration } from '@mikro-orm/migrations';

/** Direct uploads without a claimed hash, and batches of them. */
export class Migration20261121125017_presigned_batches extends Migration {
  override name = 'Migration20261121125017_presigned_batches';

  override up(): void | Promise<void> {
    this.addSql(`alter table "upload_intents" add "session_id" uuid null, add "session_index" int null;`);
    this.addSql(`alter table "upload_intents" alter column "claimed_sha256" drop not null;`);
    this.addSql(
      `create index "upload_intents_session" on "upload_intents" ("session_id") where "session_id" is not null;`,
    );
    this.addSql(`create index "upload_intents_file" on "upload_intents" ("file_id");`);

    this.addSql(
      `alter table "upload_sessions" add "confirmed_at" timestamptz null, add "confirming_until" timestamptz null;`,
    );
    this.addSql(
      `create index "upload_sessions_unconfirmed" on "upload_sessions" ("tenant_id", "created_at") where "upload_method" = 'presigned' and "confirmed_at" is null and "sealed_by" is null;`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "upload_intents_session";`);
    this.addSql(`drop index "upload_intents_file";`);
    this.addSql(`alter table "upload_intents" drop column "session_id", drop column "session_index";`);
    this.addSql(`alter table "upload_intents" alter column "claimed_sha256" set not null;`);

    this.addSql(`drop index "upload_sessions_unconfirmed";`);
    this.addSql(`alter table "upload_sessions" drop column "confirmed_at", drop column "confirming_until";`);
  }
}
