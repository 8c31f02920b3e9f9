import { Migration } from '@mikro-orm/migrations';

export class Migration20261121112154_user_description extends Migration {
  override name = 'Migration20261121112154_user_description';

  override up(): void | Promise<void> {
    this.addSql(`alter table "files" add column if not exists "user_description" text null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "files" drop column if exists "user_description";`);
  }
}
