import { Migration } from '@mikro-orm/migrations';

/** Retries are counted apart from restores; open uploads of a tenant can be counted. */
export class Migration20261121143849_retries_and_open_uploads extends Migration {
  override name = 'Migration20261121143849_retries_and_open_uploads';

  override up(): void | Promise<void> {
    this.addSql(`alter table "files" add "retries" int not null default 0;`);
    // Nothing tells restores from retries among the generations that there are.
    this.addSql(`update "files" set "retries" = "generation" - 1 where "generation" > 1;`);

    this.addSql(
      `create index "upload_intents_open" on "upload_intents" ("tenant_id") where "status" in ('PENDING', 'UPLOADED');`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "files" drop column "retries";`);

    this.addSql(`drop index "upload_intents_open";`);
  }
}
