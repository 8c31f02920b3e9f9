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
      update "files" set "document_words" = search_visible_words("words"."text") || strip(search_visible_words("words"."further"))
      from (
        select "file_id", string_agg("text", ' ' order by "page_number") as "text",
          string_agg((select string_agg(distinct "word", ' ') from string_to_table(search_fold("text"), ' ') as "word"), ' ')
            filter (where "before" > 100000) as "further"
        from (
          select "file_id", "page_number", "text",
            sum(length("text") + 1) over (partition by "file_id" order by "page_number") as "before"
          from "document_pages" where "status" = 'completed' and "text" is not null
        ) as "pages" group by "file_id"
      ) as "words" where "words"."file_id" = "files"."id";`);
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
