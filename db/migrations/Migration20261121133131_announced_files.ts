import { Migration } from '@mikro-orm/migrations';

export class Migration20261121133131_announced_files extends Migration {
  override name = 'Migration20261121133131_announced_files';

  override up(): void | Promise<void> {
    this.addSql(`create index "upload_intents_file_id_index" on "upload_intents" ("file_id");`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "upload_intents_file_id_index";`);
  }
}
