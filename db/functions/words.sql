-- Words of texts, for the lists of files and the search of chunks: the same number, unit, name or word of a script without
-- spaces is the same word in both, however it is written. Columns and indexes hold the results: after a change of
-- this file, the workflow rebuild/words makes them anew.

-- Digits of all scripts, and letters that are written with other signs in Greek, Arabic, Persian and Urdu. Most texts have none.
create or replace function "search_letters"("value" text) returns text language sql immutable strict parallel safe
return case when "value" ~ '[\u0370-\u03FF\u0600-\u0E7F\u0F20-\u0F29\u1040-\u1049\u17E0-\u17E9]' then translate("value",
  'άέήίόύώϊϋΐΰΆΈΉΊΌΎΏΪΫ' || 'أإآٱؤئىیکہۀ' || '٫٬'
    || '٠١٢٣٤٥٦٧٨٩' || '۰۱۲۳۴۵۶۷۸۹' || '०१२३४५६७८९' || '০১২৩৪৫৬৭৮৯' || '੦੧੨੩੪੫੬੭੮੯' || '૦૧૨૩૪૫૬૭૮૯' || '୦୧୨୩୪୫୬୭୮୯'
    || '௦௧௨௩௪௫௬௭௮௯' || '౦౧౨౩౪౫౬౭౮౯' || '೦೧೨೩೪೫೬೭೮೯' || '൦൧൨൩൪൫൬൭൮൯' || '๐๑๒๓๔๕๖๗๘๙' || '໐໑໒໓໔໕໖໗໘໙' || '༠༡༢༣༤༥༦༧༨༩'
    || '၀၁၂၃၄၅၆၇၈၉' || '០១២៣៤៥៦៧៨៩',
  'αεηιουωιυιυΑΕΗΙΟΥΩΙΥ' || 'اااا' || 'ويييكهه' || '.,' || repeat('0123456789', 16)) else "value" end;

create or replace function "searchable_text"("value" text) returns text language sql immutable strict parallel safe
return
  regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(
  regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(
    -- A thin space between thousands is an ordinary one for NFKC, which makes one character of all forms of a letter or digit.
    search_letters(normalize(regexp_replace(regexp_replace(
      "value", '([0-9])[\u00A0\u2007\u2009\u202F](?=[0-9]{3}(?![0-9]))', '\1,', 'g'),
      -- NFKC would join the marks of notes, trade marks and fractions with what is before them, and 25 ºC would be 25 oC.
      '([[:alpha:]]{4})[\u00B2\u00B3\u00B9\u2070\u2074-\u2079]+|([0-9])(?=[\u00BC-\u00BE\u2150-\u215E])|[\u2120\u2122]|\u00BA(?=[CF](?![[:alpha:]]))'
      collate "pg_c_utf8", '\1\2 ', 'g'), nfkc)),
    -- Signs in words that their readers do not type: soft hyphens and other invisible ones, the vowels of Hebrew and Arabic, the
    -- dots below letters of Indic scripts.
    '[\u00AD\u02BB\u02BC\u02BE\u02BF\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7\u0610-\u061A\u0640\u064B-\u065F\u0670\u093C\u09BC\u0A3C\u0ABC\u0B3C\u200B\u200D\u2060\uFE00-\uFE0F\uFEFF]', '', 'g'),
    -- The dots of U.S.A., the signs of E-Mail, R&D and col·lecció, and what keeps letters apart in other than Arabic words.
    '\m([A-Za-z])(?:\.(?=[A-Za-z]\.)|[-\u2010](?=[A-Za-z]{2}))|([A-Z])&(?=[A-Z])|([Ll])\u00B7(?=[Ll])|([^\u0600-\u06FF])\u200C', '\1\2\3\4', 'g'),
    -- Greek for millionth, as people type it.
    '\u03BC(?=[A-Za-z])', 'u', 'g'),
    -- 1 234,50 and 1.234,50 and 1,234.50 are 1234.50, and 2,500.00 is 2500. Of 1.234 nobody can tell, but it is one word.
    '(^|[^0-9.,])([1-9][0-9]{0,2})(?: ([0-9]{3}))? ([0-9]{3},[0-9]{2})(?![0-9])', '\1\2\3\4', 'g'),
    -- 12,34,567 in India.
    '(^|[^0-9.,])([1-9][0-9]?),([0-9]{2}),(?:([0-9]{2}),)?([0-9]{3})(?![0-9])', '\1\2\3\4\5', 'g'),
    '(^|[^0-9.,])([1-9][0-9]{0,2})[.,''\u2019]([0-9]{3})[.,''\u2019]([0-9]{3})[.,''\u2019]([0-9]{3})(?![0-9])', '\1\2\3\4\5', 'g'),
    '(^|[^0-9.,])([1-9][0-9]{0,2})[.,''\u2019]([0-9]{3})[.,''\u2019]([0-9]{3})(?![0-9])', '\1\2\3\4', 'g'),
    '(^|[^0-9.,])([1-9][0-9]{0,2})[.,''\u2019]([0-9]{3})(?![0-9])', '\1\2\3', 'g'),
    '([0-9]),([0-9]{2})(?![0-9,])', '\1.\2', 'g'),
    '([0-9])\.00?(?![0-9.])', '\1', 'g'),
    -- 10kV is 10 kV; longer letters after digits are codes.
    '(^|[^0-9.,A-Za-z\u00C0-\u024F\u0370-\u03FF\u0400-\u04FF])([0-9]+(?:[.,][0-9]+)*)(?![eE][-+]?[0-9])([A-Za-z\u00C0-\u024F\u0370-\u03FF\u0400-\u04FF]{1,4}[23]?)(?![0-9A-Za-z\u00C0-\u024F\u0370-\u03FF\u0400-\u04FF])', '\1\2 \3', 'g'),
    -- Thai, Lao, Burmese, Khmer, Chinese and Japanese have no spaces, and Korean words have their particles attached.
    '([\u0E01-\u0EFF\u1000-\u109F\u1780-\u17FF\u3005-\u3007\u3040-\u30FF\u3400-\u4DBF\u4E00-\u9FFF\uAC00-\uD7A3\uF900-\uFAFF\U00020000-\U0003FFFF])', ' \1 ', 'g'),
    -- The parser takes every character beyond ASCII for a letter.
    '(?![\u0001-\u007F])[[:punct:][:space:][:cntrl:]\u00B0\u061C\u200B-\u200F\u2028-\u202F\u2060-\u206F\uFEFF]' collate "pg_c_utf8", ' ', 'g');

create or replace function "search_unaccent"("value" text) returns text language sql immutable strict parallel safe
return translate(lower(unaccent('unaccent', "value")), 'ةς', 'هσ');

-- Without case, accents and ASCII punctuation: the parser would take holiday.jpg for a host, and 1-2 for a 1 and a −2.
create or replace function "search_fold"("value" text) returns text language sql immutable strict parallel safe
return trim(regexp_replace(
  translate(search_unaccent(searchable_text("value")), $$!"#$%&'()*+,-./:;<=>?@[\]^_`{|}~$$, repeat(' ', 32)),
  '\s+', ' ', 'g'));

create or replace function "search_fold_tags"("tags" text[]) returns text language sql immutable strict parallel safe
return search_fold(array_to_string("tags", ' '));

-- A tsvector holds 1 MB at most; what is cut off is beyond any page.
create or replace function "search_metadata_words"("title" text, "filename" text, "tags" text[], "description" text)
returns tsvector language sql immutable parallel safe
return setweight(to_tsvector('english', coalesce(search_fold("title"), '')), 'A')
  || setweight(to_tsvector('english', search_fold_tags("tags")), 'A')
  || setweight(to_tsvector('english', search_fold("filename")), 'B')
  || setweight(to_tsvector('english', coalesce(search_fold(left("description", 100000)), '')), 'C');

create or replace function "search_visible_words"("visible_text" text)
returns tsvector language sql immutable parallel safe
return setweight(to_tsvector('english', coalesce(search_fold(left("visible_text", 100000)), '')), 'D');

-- The parser would take jane@example.org, nginx/main.conf and then.Now for one word each, and the hyphen of E-4711 for a sign.
-- The dots of numbers stay, and the signs of their exponents.
create or replace function "chunk_text"("value" text) returns text language sql immutable strict parallel safe
return regexp_replace(
  translate(regexp_replace(searchable_text("value"), '([0-9][eE])-(?=[0-9])', '\1−', 'g'),
    $$!"#$%&'()*+,-/:;<=>?@[\]^_`{|}~$$ || '−', repeat(' ', 31) || '-'),
  '(^|[^0-9])\.+|\.+(?![0-9])', '\1 ', 'g');

-- Accents go after the dictionary, whose stop words and endings have them.
create or replace function "chunk_search"("dictionary" text, "heading_path" text[], "content" text) returns tsvector
language plpgsql stable strict parallel safe as $$
declare found tsvector := to_tsvector(dictionary::regconfig, chunk_text(array_to_string(heading_path, ' ')))
  || to_tsvector(dictionary::regconfig, chunk_text(content));
begin
  if found::text !~ '[^\u0001-\u007F]' then return found; end if;
  return coalesce((
    select string_agg(
      '''' || replace(replace(folded, '\', '\\'), '''', '''''') || ''':' || array_to_string(positions, ','), ' ')
    from (select search_unaccent(lexeme) as folded, positions from unnest(found)) as lexemes
    where folded <> ''), '')::tsvector;
end $$;

-- The entries of a chunk in the index of words; one that it repeats has a second.
create or replace function "chunk_words"("tenant" uuid, "dictionary" text, "search" tsvector) returns text[]
language sql immutable strict parallel safe as $$
  select array(
    select key from unnest(search),
      lateral (values (tenant::text || '/' || dictionary || '/' || lexeme),
        (case when cardinality(positions) >= 3 then tenant::text || '/+' || dictionary || '/' || lexeme end)) as keys (key)
    where key is not null)
$$;

create or replace function "spellable_lexemes"("search" tsvector) returns setof text
language sql immutable strict parallel safe as $$
  select lexeme from unnest(tsvector_to_array(search)) as lexeme
  where length(lexeme) between 4 and 32 and lexeme !~ '[0-9]'
$$;

-- Rows of chunks also go with those of their file. Words of the sample are in use, and those that another transaction is
-- adding are locked, and kept. Deletions of one account take turns: of two at once, each would see the chunks of the other,
-- and leave the words of both.
create or replace function "chunk_lexemes_removed"() returns trigger language plpgsql as $$ begin
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
end $$;

create or replace trigger "chunk_lexemes_removed" after delete on "document_chunks"
  referencing old table as removed for each statement execute function chunk_lexemes_removed();
