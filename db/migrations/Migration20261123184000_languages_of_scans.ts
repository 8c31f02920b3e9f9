import { Migration } from '@mikro-orm/migrations';

export class Migration20261123184000_languages_of_scans extends Migration {
  override name = 'Migration20261123184000_languages_of_scans';

  override up(): void | Promise<void> {
    this.addSql(`alter table "document_details" add column "recognised_in" text[] null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "document_details" drop column "recognised_in";`);
  }
}
