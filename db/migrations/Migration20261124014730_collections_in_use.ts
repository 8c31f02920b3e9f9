import { Migration } from '@mikro-orm/migrations';

/** When workers last used the vectors of a model, and an index of the collections that chunks name. */
export class Migration20261124014730_collections_in_use extends Migration {
  override name = 'Migration20261124014730_collections_in_use';

  override up(): void | Promise<void> {
    this.addSql(`alter table "vector_collections" add "seen_at" timestamptz not null default now();`);
    this.addSql(`alter table "vector_collections" alter column "seen_at" drop default;`);
    this.addSql(
      `create index "document_chunks_collection" on "document_chunks" ("collection") where "embedding_status" = 'completed';`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "document_chunks_collection";`);
    this.addSql(`alter table "vector_collections" drop column "seen_at";`);
  }
}
