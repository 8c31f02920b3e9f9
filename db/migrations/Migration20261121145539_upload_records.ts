import { Migration } from '@mikro-orm/migrations';

/** Records of direct uploads go when they say nothing any more. */
export class Migration20261121145539_upload_records extends Migration {
  override name = 'Migration20261121145539_upload_records';

  override up(): void | Promise<void> {
    // Those of files that were purged before a purge took them along.
    this.addSql(
      `delete from "upload_intents" i where "status" = 'COMPLETED' and "clean_at" is null and not exists (select 1 from "files" f where f."id" = coalesce(i."duplicate_of", i."file_id"));`,
    );

    this.addSql(
      `create index "upload_intents_failed" on "upload_intents" ("updated_at") where "status" = 'FAILED' and "clean_at" is null;`,
    );
    this.addSql(
      `create index "upload_intents_duplicate" on "upload_intents" ("duplicate_of") where "duplicate_of" is not null;`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "upload_intents_failed";`);
    this.addSql(`drop index "upload_intents_duplicate";`);
  }
}
