import { Migration } from '@mikro-orm/migrations';

/** Lists and search: tallies, an index for each order, one for all filters, and the words of each file. */
export class Migration20261121113210_lists_and_search extends Migration {
  override name = 'Migration20261121113210_lists_and_search';

  override up(): void | Promise<void> {
    // All three are trusted: the owner of the database may create them.
    for (const extension of ['pg_trgm', 'btree_gin', 'unaccent']) {
      this.addSql(`create extension if not exists ${extension};`);
    }

    this.addSql(`alter table "files" add "compliance_status" text not null default 'not_checked';`);
    this.addSql(
      `alter table "files" add constraint "files_compliance_status_check" check ("compliance_status" in ('not_checked', 'passed', 'failed', 'error'));`,
    );
    this.addWords();
    this.addIndexes();
    this.addTallies();
    // By default 0.6, which knows neither quarzite nor brigde. Of the database, since a pool between may refuse settings
    // of a connection.
    this.addSql(`
      do $$ begin
        execute format('alter database %I set pg_trgm.word_similarity_threshold = 0.42', current_database());
      exception when insufficient_privilege then
        raise notice 'only the owner may set pg_trgm.word_similarity_threshold; fewer typing errors will be seen through';
      end $$;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`
      do $$ begin
        execute format('alter database %I reset pg_trgm.word_similarity_threshold', current_database());
      exception when insufficient_privilege then null;
      end $$;`);
    for (const trigger of ['added', 'removed', 'moved']) {
      this.addSql(`drop trigger "files_tally_${trigger}" on "files";`);
      this.addSql(`drop function "files_tally_${trigger}";`);
    }
    this.addSql(`drop table "file_tallies";`);
    for (const index of ['created', 'content_first', 'content_last', 'title', 'size', 'filters', 'trash']) {
      this.addSql(`drop index "files_${index}";`);
    }
    this.addSql(`drop index "files_not_started";`);
    this.addSql(
      `create index "files_not_started" on "files" ("updated_at") where "workflow_started_at" is null;`,
    );
    this.addSql(
      `create index "files_tenant_created" on "files" ("tenant_id", "deleted_at", "created_at", "id");`,
    );
    this.addSql(`alter table "files" reset (fillfactor);`);
    this.addSql(
      `alter table "files" drop column "has_description", drop column "search_all", drop column "search_metadata", drop column "search_visible", drop column "search_names";`,
    );
    this.addSql(`drop function "search_metadata_words";`);
    this.addSql(`drop function "search_visible_words";`);
    this.addSql(`drop function "search_fold_tags";`);
    this.addSql(`drop function "search_fold";`);
    this.addSql(`alter table "files" drop constraint "files_compliance_status_check";`);
    this.addSql(`alter table "files" drop column "compliance_status";`);
  }

  /**
   * Generated columns, which Postgres computes anew only when a column that they read is written. A trigger before
   * updates of any kind would end that.
   */
  private addWords(): void {
    // Without case, accents and ASCII punctuation: the parser would take holiday.jpg for a host, and 1-2 for a 1 and a −2.
    this.addSql(`
      create function "search_fold"("value" text) returns text language sql immutable strict parallel safe
      return trim(regexp_replace(
        translate(
          lower(unaccent('unaccent', normalize("value", nfkc))),
          $$!"#$%&'()*+,-./:;<=>?@[\\]^_\`{|}~$$,
          repeat(' ', 32)
        ),
        '\\s+', ' ', 'g'
      ));`);
    this.addSql(`
      create function "search_fold_tags"("tags" text[]) returns text language sql immutable strict parallel safe
      return search_fold(array_to_string("tags", ' '));`);
    // A tsvector holds 1 MB at most; what is cut off is beyond any page.
    this.addSql(`
      create function "search_metadata_words"("title" text, "filename" text, "tags" text[], "description" text)
      returns tsvector language sql immutable parallel safe
      return setweight(to_tsvector('english', coalesce(search_fold("title"), '')), 'A')
        || setweight(to_tsvector('english', search_fold_tags("tags")), 'A')
        || setweight(to_tsvector('english', search_fold("filename")), 'B')
        || setweight(to_tsvector('english', coalesce(search_fold(left("description", 100000)), '')), 'C');`);
    this.addSql(`
      create function "search_visible_words"("visible_text" text)
      returns tsvector language sql immutable parallel safe
      return setweight(to_tsvector('english', coalesce(search_fold(left("visible_text", 100000)), '')), 'D');`);
    const metadata = `search_metadata_words("title", "filename", "tags", coalesce("user_description", "upload_description"))`;
    const visible = `search_visible_words("visible_text")`;
    this.addSql(`
      alter table "files"
        add "has_description" boolean not null
          generated always as ("user_description" is not null or "upload_description" is not null) stored,
        add "search_metadata" tsvector not null generated always as (${metadata}) stored,
        add "search_visible" tsvector not null generated always as (${visible}) stored,
        add "search_all" tsvector not null generated always as (${metadata} || ${visible}) stored,
        add "search_names" text not null generated always as (
          ' ' || coalesce(search_fold("title"), '') || ' ' || search_fold("filename") || ' ' || search_fold_tags("tags")
        ) stored,
        set (fillfactor = 85);`);
  }

  private addIndexes(): void {
    this.addSql(`drop index "files_tenant_created";`);
    this.addSql(`drop index "files_not_started";`);
    this.addSql(
      `create index "files_not_started" on "files" ("created_at") where "workflow_started_at" is null;`,
    );
    const orders = {
      created: `"created_at"`,
      // What has no date comes last in both directions, hence one index for each.
      content_first: `coalesce("content_created_at", '-infinity'::timestamptz)`,
      content_last: `coalesce("content_created_at", 'infinity'::timestamptz)`,
      title: `lower(coalesce("title", "filename"))`,
      size: `"size_bytes"`,
    };
    for (const [name, key] of Object.entries(orders)) {
      // What is included answers counts of these filters without a look at the table.
      const include =
        name === 'created' ? ` include ("media_type", "compliance_status", "has_description")` : '';
      this.addSql(
        `create index "files_${name}" on "files" ("tenant_id", (${key}), "id")${include} where "deleted_at" is null;`,
      );
    }
    this.addSql(
      `create index "files_trash" on "files" ("tenant_id", "created_at", "id") where "deleted_at" is not null;`,
    );
    // A short list of pending entries, as every search reads it.
    this.addSql(`
      create index "files_filters" on "files" using gin (
        "tenant_id", "media_type", "compliance_status", "has_description", "tags",
        "search_all", "search_metadata", "search_visible", "search_names" gin_trgm_ops
      ) with (gin_pending_list_limit = 256) where "deleted_at" is null;`);
  }

  private addTallies(): void {
    this.addSql(
      `create table "file_tallies" ("tenant_id" uuid not null, "live" bigint not null, "trash" bigint not null, primary key ("tenant_id"));`,
    );
    this.addSql(
      `alter table "file_tallies" add constraint "file_tallies_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id") on update cascade on delete cascade;`,
    );
    this.addSql(`
      insert into file_tallies (tenant_id, live, trash)
      select tenant_id, count(*) filter (where deleted_at is null), count(deleted_at) from files group by tenant_id;`);
    this.addSql(`
      create function files_tally_added() returns trigger language plpgsql as $$ begin
        insert into file_tallies as kept (tenant_id, live, trash)
        select tenant_id, count(*) filter (where deleted_at is null), count(deleted_at)
        from added group by tenant_id order by tenant_id
        on conflict (tenant_id) do update set live = kept.live + excluded.live, trash = kept.trash + excluded.trash;
        return null;
      end $$;`);
    this.addSql(`
      create trigger files_tally_added after insert on files referencing new table as added
      for each statement execute function files_tally_added();`);
    this.addSql(`
      create function files_tally_removed() returns trigger language plpgsql as $$ begin
        update file_tallies as kept set live = kept.live - gone.live, trash = kept.trash - gone.trash
        from (
          select tenant_id, count(*) filter (where deleted_at is null) as live, count(deleted_at) as trash
          from removed group by tenant_id
        ) as gone
        where kept.tenant_id = gone.tenant_id;
        return null;
      end $$;`);
    this.addSql(`
      create trigger files_tally_removed after delete on files referencing old table as removed
      for each statement execute function files_tally_removed();`);
    this.addSql(`
      create function files_tally_moved() returns trigger language plpgsql as $$ declare
        step integer := case when new.deleted_at is null then 1 else -1 end;
      begin
        update file_tallies set live = live + step, trash = trash - step where tenant_id = new.tenant_id;
        return null;
      end $$;`);
    // At commit, so that the tally is the last lock a transaction takes, whatever else it locks and in which order.
    this.addSql(`
      create constraint trigger files_tally_moved after update of deleted_at on files
      deferrable initially deferred for each row
      when ((old.deleted_at is null) <> (new.deleted_at is null)) execute function files_tally_moved();`);
  }
}
