import { Migration } from '@mikro-orm/migrations';

/** Whether the separator pages of a document that is divided are kept. */
export class Migration20261130113000_separators_and_items extends Migration {
  override name = 'Migration20261130113000_separators_and_items';

  override up(): void | Promise<void> {
    this.addSql(`alter table "document_splits" add "keep_separators" boolean not null default false;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "document_splits" drop column "keep_separators";`);
  }
}
