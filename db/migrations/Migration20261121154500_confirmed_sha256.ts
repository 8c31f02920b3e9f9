import { Migration } from '@mikro-orm/migrations';

/** A checksum that comes with a confirmation is no promise of the upload: a wrong one is told, and another may follow. */
export class Migration20261121154500_confirmed_sha256 extends Migration {
  override name = 'Migration20261121154500_confirmed_sha256';

  override up(): void | Promise<void> {
    this.addSql(`alter table "upload_intents" add "confirmed_sha256" varchar(64) null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "upload_intents" drop column "confirmed_sha256";`);
  }
}
