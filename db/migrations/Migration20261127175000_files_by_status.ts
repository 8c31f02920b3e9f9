import { Migration } from '@mikro-orm/migrations';

/** The newest files of one status, of which those that are not completed are few. */
export class Migration20261127175000_files_by_status extends Migration {
  override name = 'Migration20261127175000_files_by_status';

  override up(): void | Promise<void> {
    this.addSql(
      `create index "files_status" on "files" ("tenant_id", "primary_status", "created_at", "id") where "deleted_at" is null;`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "files_status";`);
  }
}
