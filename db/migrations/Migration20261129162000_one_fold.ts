import { Migration } from '@mikro-orm/migrations';

/** Letters before and after digits, of the scripts in which units are written. */
const UNITS = String.raw`A-Za-z\u00C0-\u024F\u0370-\u03FF\u0400-\u04FF`;

/**
 * One rule for the words of lists and of chunks: the same number, unit, name or word of a script without spaces is the same
 * word in both, however it is written.
 */
export class Migration20261129162000_one_fold extends Migration {
  override name = 'Migration20261129162000_one_fold';

  override up(): void | Promise<void> {
    const separator = `[.,''\\u2019]`;
    const thousands = (groups: number): [pattern: string, by: string] => [
      `(^|[^0-9.,])([1-9][0-9]{0,2})${`${separator}([0-9]{3})`.repeat(groups)}(?![0-9])`,
      String.raw`\1\2\3\4\5`.slice(0, 2 * (groups + 2)),
    ];
    const steps: (readonly [pattern: string, by: string, collation?: string])[] = [
      // Signs in words that their readers do not type: soft hyphens, the vowels of Hebrew and Arabic.
      [
        String.raw`[\u00AD\u02BC\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7\u0610-\u061A\u0640\u064B-\u065F\u0670]`,
        '',
      ],
      // 1 234,50 and 1.234,50 and 1,234.50 are 1234.50, and 2,500.00 is 2500. Of 1.234 nobody can tell, but it is one word.
      [String.raw`(^|[^0-9.,])([1-9][0-9]{0,2}) ([0-9]{3},[0-9]{2})(?![0-9])`, String.raw`\1\2\3`],
      thousands(3),
      thousands(2),
      thousands(1),
      [String.raw`([0-9]),([0-9]{2})(?![0-9,])`, String.raw`\1.\2`],
      [String.raw`([0-9])\.00?(?![0-9.])`, String.raw`\1`],
      // 10kV is 10 kV; longer letters after digits are codes.
      [
        `(^|[^0-9.,${UNITS}])([0-9]+(?:[.,][0-9]+)*)(?![eE][-+]?[0-9])([${UNITS}]{1,4}[23]?)(?![0-9${UNITS}])`,
        String.raw`\1\2 \3`,
      ],
      // Thai, Lao, Burmese, Khmer, Chinese and Japanese have no spaces, and Korean words have their particles attached.
      [
        String.raw`([\u0E01-\u0EFF\u1000-\u109F\u1780-\u17FF\u3005-\u3007\u3040-\u30FF\u3400-\u4DBF\u4E00-\u9FFF\uAC00-\uD7A3\uF900-\uFAFF\U00020000-\U0003FFFF])`,
        String.raw` \1 `,
      ],
      // The parser takes every character beyond ASCII for a letter.
      [
        String.raw`(?![\u0001-\u007F])[[:punct:][:space:][:cntrl:]\u00B0\u061C\u200B-\u200F\u2028-\u202F\u2060-\u206F\uFEFF]`,
        ' ',
        'collate "pg_c_utf8"',
      ],
    ];
    // A thin space between thousands is an ordinary one for NFKC, which makes one character of all forms of a letter or digit.
    const normal = String.raw`normalize(regexp_replace("value", '([0-9])[\u00A0\u2007\u2009\u202F](?=[0-9]{3}(?![0-9]))', '\1,', 'g'), nfkc)`;
    this.addSql(`
      create or replace function "searchable_text"("value" text) returns text language sql immutable strict parallel safe
      return ${steps.reduce(
        (text, [pattern, by, collation = '']) =>
          `regexp_replace(${text}, '${pattern}' ${collation}, '${by}', 'g')`,
        normal,
      )};`);
    this.addSql(`
      create function "search_unaccent"("value" text) returns text language sql immutable strict parallel safe
      return translate(lower(unaccent('unaccent', "value")), 'أإآٱىة', 'اااايه');`);
    this.fold(`search_unaccent(searchable_text("value"))`);
    // The hyphen of E-4711 and 10-20 is no sign of the number; that of 3.5e-7 is one.
    this.addSql(`
      create or replace function "chunk_text"("value" text) returns text language sql immutable strict parallel safe
      return searchable_text(regexp_replace("value", '((?<![0-9.])[A-Za-z]+|[0-9])-(?=[0-9])', '\\1 ', 'g'));`);
    // After the dictionary, whose stop words and endings have accents.
    this.addSql(`
      create function "chunk_search"("dictionary" text, "heading_path" text[], "content" text) returns tsvector
        language plpgsql stable strict parallel safe as $$
      declare found tsvector := to_tsvector(dictionary::regconfig, chunk_text(array_to_string(heading_path, ' ')))
        || to_tsvector(dictionary::regconfig, chunk_text(content));
      begin
        if found::text !~ '[^\\u0001-\\u007F]' then return found; end if;
        return coalesce((
          select string_agg(
            '''' || replace(replace(folded, '\\', '\\\\'), '''', '''''') || ''':' || array_to_string(positions, ','), ' ')
          from (select search_unaccent(lexeme) as folded, positions from unnest(found)) as lexemes
          where folded <> ''), '')::tsvector;
      end $$;`);
    const changed = (text: string): string => `${text} ~ '[^\\u0001-\\u007F]|[0-9][.,'' ]?[0-9A-Za-z]'`;
    this.addSql(`
      update "document_chunks" set "search" = chunk_search("dictionary", "heading_path", "content")
      where ${changed(`concat(array_to_string("heading_path", ' '), "content")`)};`);
    this.addSql(`delete from "chunk_lexemes";`);
    this.addSql(`
      insert into "chunk_lexemes" ("tenant_id", "dictionary", "lexeme")
      select distinct "tenant_id", "dictionary", "lexeme" from "document_chunks", spellable_lexemes("search") as "lexeme";`);
    this.addSql(`
      update "files" set "title" = "title", "visible_text" = "visible_text"
      where ${changed(`concat("title", "filename", array_to_string("tags", ' '), "user_description", "upload_description", "visible_text")`)};`);
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
      from "beginnings" left join "further" using ("file_id")
      where "beginnings"."file_id" = "files"."id" and ${changed(`"beginnings"."words"`)};`);
  }

  /** Words keep their new form, in which older code finds those without accents. */
  override down(): void | Promise<void> {
    this.addSql(`drop function "chunk_search";`);
    this.fold(`lower(unaccent('unaccent', normalize(searchable_text("value"), nfkc)))`);
    this.addSql(`drop function "search_unaccent";`);
  }

  private fold(value: string): void {
    this.addSql(`
      create or replace function "search_fold"("value" text) returns text language sql immutable strict parallel safe
      return trim(regexp_replace(
        translate(${value}, $$!"#$%&'()*+,-./:;<=>?@[\\]^_\`{|}~$$, repeat(' ', 32)), '\\s+', ' ', 'g'));`);
  }
}
