import { Migration } from '@mikro-orm/migrations';

/**
 * What BM25 needs: every occurrence of a word counts alike, a word that a chunk repeats has an entry of its own in the
 * index, and a sample of an account's chunks is one range of an index. And the words of each account, for misspelt ones.
 */
export class Migration20261123233000_chunk_lexemes extends Migration {
  override name = 'Migration20261123233000_chunk_lexemes';

  override up(): void | Promise<void> {
    // Trusted: the owner of the database may create it.
    this.addSql(`create extension if not exists fuzzystrmatch;`);
    this.addSql(`drop index "document_chunks_words";`);
    // Ranking reads a tsvector once for each word. Stored out of line, each read costs three times as much.
    this.addSql(`alter table "document_chunks" alter column "search" set storage external;`);
    this.addSql(`alter table "document_chunks" set (toast_tuple_target = 8160);`);
    // The parser takes the hyphen of E-4711 and 10-20 for a sign of the number; that of 3.5e-7 is one. Chinese and
    // Japanese have no spaces: their characters count as words.
    this.addSql(`
      create function "chunk_text"("value" text) returns text language sql immutable strict parallel safe
        return searchable_text(regexp_replace(
          regexp_replace("value", '((?<![0-9.])[A-Za-z]+|[0-9])-(?=[0-9])', '\\1 ', 'g'),
          '([\\u3040-\\u30FF\\u3400-\\u4DBF\\u4E00-\\u9FFF\\uF900-\\uFAFF])', ' \\1 ', 'g'));`);
    this.addSql(`
      update "document_chunks" set "search" =
        to_tsvector("dictionary"::regconfig, chunk_text(array_to_string("heading_path", ' ')))
          || to_tsvector("dictionary"::regconfig, chunk_text("content"));`);
    this.words(`
      select array(
        select key from unnest(search),
          lateral (values (tenant::text || '/' || dictionary || '/' || lexeme),
            (case when cardinality(positions) >= 3 then tenant::text || '/+' || dictionary || '/' || lexeme end)) as keys (key)
        where key is not null)`);
    this.addSql(`create index "document_chunks_sample" on "document_chunks" ("tenant_id", "id");`);

    this.addSql(`
      create table "chunk_lexemes" (
        "tenant_id" uuid not null references "tenants" ("id"),
        "dictionary" text not null,
        "lexeme" text collate "C" not null,
        primary key ("tenant_id", "dictionary", "lexeme")
      );`);
    this.addSql(`
      create index "chunk_lexemes_reversed" on "chunk_lexemes" ("tenant_id", "dictionary", reverse("lexeme") collate "C");`);
    this.addSql(`
      create function "spellable_lexemes"("search" tsvector) returns setof text language sql immutable strict parallel safe
        as $$ select lexeme from unnest(tsvector_to_array(search)) as lexeme
          where length(lexeme) between 4 and 32 and lexeme !~ '[0-9]' $$;`);
    this.addSql(`
      insert into "chunk_lexemes" ("tenant_id", "dictionary", "lexeme")
      select distinct "tenant_id", "dictionary", "lexeme" from "document_chunks", spellable_lexemes("search") as "lexeme";`);
    // Rows of chunks also go with those of their file. Words of the sample are in use, and those that another transaction
    // is adding are locked, and kept. Deletions of one account take turns: of two at once, each would see the chunks of the
    // other, and leave the words of both.
    this.addSql(`
      create function "chunk_lexemes_removed"() returns trigger language plpgsql as $$ begin
        perform pg_advisory_xact_lock(hashtextextended('chunk_lexemes', 0) # hashtextextended(tenant_id::text, 0))
          from (select distinct tenant_id from removed order by tenant_id) as tenant;
        with gone as materialized (
            select distinct tenant_id, dictionary, lexeme from removed, spellable_lexemes(search) as lexeme),
          sampled as materialized (
            select distinct tenant_id, dictionary, lexeme
            from (select distinct tenant_id from gone) as tenant,
              lateral (
                select dictionary, search from document_chunks chunk
                where chunk.tenant_id = tenant.tenant_id order by chunk.id limit 200) as sample,
              unnest(tsvector_to_array(search)) as lexeme),
          unused as materialized (
            select kept.ctid from chunk_lexemes kept
            join (select * from gone except select * from sampled) as rare using (tenant_id, dictionary, lexeme)
            where not exists (
              select from document_chunks chunk
              where chunk_words(chunk.tenant_id, chunk.dictionary, chunk.search)
                @> array[rare.tenant_id::text || '/' || rare.dictionary || '/' || rare.lexeme])
            for update of kept skip locked)
        delete from chunk_lexemes where ctid = any(array(select ctid from unused));
        return null;
      end $$;`);
    this.addSql(`
      create trigger "chunk_lexemes_removed" after delete on "document_chunks" referencing old table as removed
      for each statement execute function chunk_lexemes_removed();`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop trigger "chunk_lexemes_removed" on "document_chunks";`);
    this.addSql(`drop function "chunk_lexemes_removed";`);
    this.addSql(`drop table "chunk_lexemes";`);
    this.addSql(`drop function "spellable_lexemes";`);
    this.addSql(`drop extension fuzzystrmatch;`);
    this.addSql(`drop index "document_chunks_sample";`);
    this.addSql(`drop index "document_chunks_words";`);
    this.addSql(`alter table "document_chunks" reset (toast_tuple_target);`);
    this.addSql(`alter table "document_chunks" alter column "search" set storage extended;`);
    this.addSql(`
      update "document_chunks" set "search" =
        setweight(to_tsvector("dictionary"::regconfig, searchable_text(array_to_string("heading_path", ' '))), 'A')
          || to_tsvector("dictionary"::regconfig, searchable_text("content"));`);
    this.addSql(`drop function "chunk_text";`);
    this.words(`
      select array(select tenant::text || '/' || dictionary || '/' || lexeme from unnest(tsvector_to_array(search)) as lexeme)`);
  }

  /** Defines the entries of a chunk in the index of words, and makes that index. */
  private words(entries: string): void {
    this.addSql(`
      create or replace function "chunk_words"("tenant" uuid, "dictionary" text, "search" tsvector) returns text[]
        language sql immutable strict parallel safe as $$ ${entries} $$;`);
    this.addSql(`
      create index "document_chunks_words" on "document_chunks"
        using gin (chunk_words("tenant_id", "dictionary", "search")) with (gin_pending_list_limit = 256);`);
    this.addSql(`alter index "document_chunks_words" alter column 1 set statistics 0;`);
  }
}
