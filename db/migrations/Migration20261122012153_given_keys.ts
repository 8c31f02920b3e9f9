import { Migration } from '@mikro-orm/migrations';

/** The key that a client was given names its upload for good; so far the key of the file took its place. */
export class Migration20261122012153_given_keys extends Migration {
  override name = 'Migration20261122012153_given_keys';

  override up(): void | Promise<void> {
    this.addSql(
      `alter table "upload_intents" add "later_parts_key" text null, add "deduplicated" boolean not null default false;`,
    );
    this.addSql(
      `update "upload_intents" set "deduplicated" = "duplicate_of" is not null,
         "object_key" = case "mode" when 'single_shot' then 'tenants/' || "tenant_id" || '/uploads/' || "id" else "object_key" end
       where "status" = 'COMPLETED';`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "upload_intents" drop column "later_parts_key", drop column "deduplicated";`);
  }
}
