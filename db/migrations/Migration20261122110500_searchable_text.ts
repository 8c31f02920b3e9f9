import { Migration } from '@mikro-orm/migrations';

/**
 * One rule for the words of lists and of chunks: signs that are no letters do not stick to words. And lists find every
 * word of a long document.
 */
export class Migration20261122110500_searchable_text extends Migration {
  override name = 'Migration20261122110500_searchable_text';

  override up(): void | Promise<void> {
    // The parser of Postgres takes every character beyond ASCII for a letter, and «museum» for another word than museum.
    // Soft hyphens, and the vowels and the stretching of Arabic words, are no part of them. The collation is named
    // because its classes are those of Unicode, whatever the database has.
    this.addSql(`
      create function "searchable_text"("value" text) returns text language sql immutable strict parallel safe
      return regexp_replace(
        regexp_replace("value", '[\\u00AD\\u0640\\u064B-\\u0652]', '', 'g'),
        '(?![\\u0001-\\u007F])[[:punct:][:space:][:cntrl:]\\u061C\\u200B-\\u200F\\u2028-\\u202F\\u2060-\\u206F\\uFEFF]'
          collate "pg_c_utf8",
        ' ', 'g'
      );`);
    this.fold(`searchable_text("value")`);
    this.addSql(`
      update "files" set "title" = "title", "visible_text" = "visible_text"
      where concat("title", "filename", "tags", "user_description", "upload_description", "visible_text") ~ '[^\\u0001-\\u007F]';`);
    this.addSql(`
      with "pages" as (
        select "file_id", "page_number", "text",
          sum(length("text") + 1) over (partition by "file_id" order by "page_number") as "before"
        from "document_pages" where "status" = 'completed' and "text" is not null
      ), "beginnings" as (
        select "file_id", string_agg("text", ' ' order by "page_number") as "words" from "pages" group by "file_id"
      ), "further" as (
        select "file_id", string_agg(distinct "word", ' ') as "words"
        from "pages", string_to_table(search_fold("text"), ' ') as "word" where "before" > 100000 group by "file_id"
      )
      update "files" set "document_words" =
        search_visible_words("beginnings"."words") || strip(search_visible_words(coalesce("further"."words", '')))
      from "beginnings" left join "further" using ("file_id") where "beginnings"."file_id" = "files"."id";`);
    this.addSql(`
      update "document_chunks" set "search" =
        setweight(to_tsvector("dictionary"::regconfig, searchable_text(array_to_string("heading_path", ' '))), 'A')
          || to_tsvector("dictionary"::regconfig, searchable_text("content"))
      where concat(array_to_string("heading_path", ' '), "content") ~ '[^\\u0001-\\u007F]';`);
  }

  override down(): void | Promise<void> {
    this.fold(`"value"`);
    this.addSql(`drop function "searchable_text";`);
  }

  private fold(value: string): void {
    this.addSql(`
      create or replace function "search_fold"("value" text) returns text language sql immutable strict parallel safe
      return trim(regexp_replace(
        translate(
          lower(unaccent('unaccent', normalize(${value}, nfkc))),
          $$!"#$%&'()*+,-./:;<=>?@[\\]^_\`{|}~$$,
          repeat(' ', 32)
        ),
        '\\s+', ' ', 'g'
      ));`);
  }
}
