import { Migration } from '@mikro-orm/migrations';

/** The newest of one medium, which may be rare: what a tab of documents or of videos asks for. */
export class Migration20261121143000_newest_of_a_medium extends Migration {
  override name = 'Migration20261121143000_newest_of_a_medium';

  override up(): void | Promise<void> {
    this.addSql(
      `create index "files_medium" on "files" ("tenant_id", "media_type", "created_at", "id") where "deleted_at" is null;`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "files_medium";`);
  }
}
