import { Migration } from '@mikro-orm/migrations';

/** The applied forms of the functions and triggers in db/functions; they change without a migration. */
export class Migration20261129193000_schema_functions extends Migration {
  override name = 'Migration20261129193000_schema_functions';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "schema_functions" ("name" text not null, "hash" text not null, "applied_at" timestamptz not null, primary key ("name", "hash"));`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table "schema_functions";`);
  }
}
