import { Migration } from '@mikro-orm/migrations';

export class Migration20261123223130_vector_collections extends Migration {
  override name = 'Migration20261123223130_vector_collections';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "vector_collections" ("collection" varchar(255) not null, "index_name" varchar(255) not null, "dimension" int not null, "settings" jsonb not null, "registered_at" timestamptz not null, "serving_since" timestamptz null, primary key ("collection"));`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "vector_collections" cascade;`);
  }
}
