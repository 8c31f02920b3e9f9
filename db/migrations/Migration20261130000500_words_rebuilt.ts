import { Migration } from '@mikro-orm/migrations';

/** When stored words were made anew by a form of the functions that define them. */
export class Migration20261130000500_words_rebuilt extends Migration {
  override name = 'Migration20261130000500_words_rebuilt';

  override up(): void | Promise<void> {
    this.addSql(`alter table "schema_functions" add "rebuilt_at" timestamptz null;`);
    this.addSql(`update "schema_functions" set "rebuilt_at" = "applied_at";`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "schema_functions" drop column "rebuilt_at";`);
  }
}
