import { Migration } from '@mikro-orm/migrations';

/**
 * One entry of the index for each word of a tenant in a dictionary. With a column for each of the three, a lookup read the
 * entries of all the tenant's chunks, and up to 4 MB of those not yet sorted in.
 */
export class Migration20261122111500_chunk_words extends Migration {
  override name = 'Migration20261122111500_chunk_words';

  override up(): void | Promise<void> {
    this.addSql(`
      create function "chunk_words"("tenant" uuid, "dictionary" text, "search" tsvector) returns text[]
        language sql immutable strict parallel safe
        as 'select array(select tenant::text || ''/'' || dictionary || ''/'' || lexeme from unnest(tsvector_to_array(search)) as lexeme)';`);
    this.addSql(`drop index "document_chunks_search";`);
    this.addSql(`
      create index "document_chunks_words" on "document_chunks"
        using gin (chunk_words("tenant_id", "dictionary", "search")) with (gin_pending_list_limit = 256);`);
    // Statistics of words would cost a second of every analysis, and change no plan.
    this.addSql(`alter index "document_chunks_words" alter column 1 set statistics 0;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "document_chunks_words";`);
    this.addSql(`drop function "chunk_words";`);
    this.addSql(
      `create index "document_chunks_search" on "document_chunks" using gin ("tenant_id", "dictionary", "search");`,
    );
  }
}
