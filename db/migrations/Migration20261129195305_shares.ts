import { Migration } from '@mikro-orm/migrations';

/** Links to single files, and who began an upload session. */
export class Migration20261129195305_shares extends Migration {
  override name = 'Migration20261129195305_shares';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "file_shares" ("id" uuid not null, "tenant_id" uuid not null, "file_id" uuid not null, "token_hash" varchar(64) not null, "user_id" uuid null, "api_key_id" varchar(8) null, "created_at" timestamptz not null, "expires_at" timestamptz not null, "revoked_at" timestamptz null, "opened_count" int not null default 0, "last_opened_at" timestamptz null, primary key ("id"));`,
    );
    this.addSql(
      `alter table "file_shares" add constraint "file_shares_token_hash_unique" unique ("token_hash");`,
    );
    this.addSql(`create index "file_shares_of_file" on "file_shares" ("file_id", "created_at");`);

    this.addSql(`alter table "upload_sessions" add "user_id" uuid null, add "api_key_id" varchar(8) null;`);

    this.addSql(
      `alter table "file_shares" add constraint "file_shares_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id") on delete cascade;`,
    );
    this.addSql(
      `alter table "file_shares" add constraint "file_shares_file_id_foreign" foreign key ("file_id") references "files" ("id") on delete cascade;`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "file_shares" cascade;`);

    this.addSql(`alter table "upload_sessions" drop column "user_id", drop column "api_key_id";`);
  }
}
