import { Migration } from '@mikro-orm/migrations';

/** Lists find documents by the words of their text, as they find images by those on them. */
export class Migration20261122083000_document_words extends Migration {
  override name = 'Migration20261122083000_document_words';

  override up(): void | Promise<void> {
    this.addSql(`alter table "files" add "document_words" tsvector not null default '';`);
    this.addSql(`
      update "files" set "document_words" = search_visible_words("words"."text")
      from (
        select "file_id", string_agg("text", ' ' order by "page_number") as "text"
        from "document_pages" where "status" = 'completed' group by "file_id"
      ) as "words" where "words"."file_id" = "files"."id" and "words"."text" is not null;`);
    this.defineWords(`search_visible_words("visible_text") || "document_words"`);
  }

  override down(): void | Promise<void> {
    this.defineWords(`search_visible_words("visible_text")`);
    this.addSql(`alter table "files" drop column "document_words";`);
  }

  /** The index goes with the columns. */
  private defineWords(visible: string): void {
    const metadata = `search_metadata_words("title", "filename", "tags", coalesce("user_description", "upload_description"))`;
    this.addSql(`alter table "files" drop column "search_all", drop column "search_visible";`);
    this.addSql(`
      alter table "files"
        add "search_visible" tsvector not null generated always as (${visible}) stored,
        add "search_all" tsvector not null generated always as (${metadata} || ${visible}) stored;`);
    this.addSql(`
      create index "files_filters" on "files" using gin (
        "tenant_id", "media_type", "compliance_status", "has_description", "tags",
        "search_all", "search_metadata", "search_visible", "search_names" gin_trgm_ops
      ) with (gin_pending_list_limit = 256) where "deleted_at" is null;`);
  }
}
