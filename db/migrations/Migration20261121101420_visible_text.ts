import { Migration } from '@mikro-orm/migrations';

export class Migration20261121101420_visible_text extends Migration {
  override name = 'Migration20261121101420_visible_text';

  override up(): void | Promise<void> {
    this.addSql(`alter table "files" add "visible_text" text null, add "text_regions" jsonb null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "files" drop column "visible_text", drop column "text_regions";`);
  }
}
