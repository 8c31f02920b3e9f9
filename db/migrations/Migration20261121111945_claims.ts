import { Migration } from '@mikro-orm/migrations';

export class Migration20261121111945_claims extends Migration {
  override name = 'Migration20261121111945_claims';

  override up(): void | Promise<void> {
    this.addSql(`alter table "files" add "run_id" uuid null;`);
    this.addSql(
      `create table "claimed_objects" ("object_key" text not null, "claimed_at" timestamptz not null, primary key ("object_key"));`,
    );
    this.addSql(`create index "claimed_objects_claimed_at_index" on "claimed_objects" ("claimed_at");`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "claimed_objects" cascade;`);
    this.addSql(`alter table "files" drop column "run_id";`);
  }
}
