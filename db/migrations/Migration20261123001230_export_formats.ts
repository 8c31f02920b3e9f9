import { Migration } from '@mikro-orm/migrations';

/** The formats of exports stand in their registry alone, so that another one needs no migration. */
export class Migration20261123001230_export_formats extends Migration {
  override name = 'Migration20261123001230_export_formats';

  override up(): void | Promise<void> {
    this.addSql(`alter table "exports" drop constraint "exports_format_check";`);
  }

  override down(): void | Promise<void> {
    this.addSql(
      `alter table "exports" add constraint "exports_format_check" check ("format" in ('csv', 'xlsx', 'docx', 'google_sheets', 'json', 'jsonl'));`,
    );
  }
}
