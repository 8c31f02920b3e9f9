import { Migration } from '@mikro-orm/migrations';

/** Open sessions, which are few, for the sweep. */
export class Migration20261129030000_open_sessions extends Migration {
  override name = 'Migration20261129030000_open_sessions';

  override up(): void | Promise<void> {
    this.addSql(
      `create index "upload_sessions_open" on "upload_sessions" ("id") where "status" in ('pending', 'uploading', 'processing');`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "upload_sessions_open";`);
  }
}
