import { Migration } from '@mikro-orm/migrations';

/** Documents: their pages, their chunks, and the words of the chunks. */
export class Migration20261122051958_documents extends Migration {
  override name = 'Migration20261122051958_documents';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "document_pages" ("file_id" uuid not null, "page_number" int not null, "status" text not null, "needs_ocr" boolean not null, "source" varchar(255) null, "elements" jsonb not null, "text" text not null, "content_hash" varchar(64) null, "attempts" int not null, "error" jsonb null, "updated_at" timestamptz not null, primary key ("file_id", "page_number"));`,
    );

    this.addSql(
      `create table "document_details" ("file_id" uuid not null, "page_count" int not null, "title" text null, "author" text null, "stated_created_at" text null, "language" varchar(255) null, "profile" jsonb not null, "stale_chunks" uuid[] not null default '{}', primary key ("file_id"));`,
    );

    this.addSql(
      `create table "document_chunks" ("id" uuid not null, "file_id" uuid not null, "tenant_id" uuid not null, "chunk_index" int not null, "content" text not null, "page_numbers" int[] not null, "heading_path" text[] not null, "token_count" int not null, "chunk_type" text not null, "dictionary" varchar(255) not null, "embedding_status" text not null, "collection" varchar(255) null, primary key ("id"));`,
    );
    this.addSql(`create index "document_chunks_file" on "document_chunks" ("file_id", "chunk_index");`);
    // By the rules of each chunk's dictionary, which is why no generated column can have them.
    this.addSql(`alter table "document_chunks" add "search" tsvector not null;`);
    this.addSql(
      `create index "document_chunks_search" on "document_chunks" using gin ("tenant_id", "dictionary", "search");`,
    );
    this.addSql(`create index "document_chunks_tenant" on "document_chunks" ("tenant_id", "dictionary");`);

    this.addSql(
      `alter table "document_pages" add constraint "document_pages_file_id_foreign" foreign key ("file_id") references "files" ("id") on delete cascade;`,
    );
    this.addSql(
      `alter table "document_pages" add constraint "document_pages_status_check" check ("status" in ('pending', 'processing', 'completed', 'failed'));`,
    );

    this.addSql(
      `alter table "document_details" add constraint "document_details_file_id_foreign" foreign key ("file_id") references "files" ("id") on update cascade on delete cascade;`,
    );

    this.addSql(
      `alter table "document_chunks" add constraint "document_chunks_file_id_foreign" foreign key ("file_id") references "files" ("id") on delete cascade;`,
    );
    this.addSql(
      `alter table "document_chunks" add constraint "document_chunks_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id");`,
    );
    this.addSql(
      `alter table "document_chunks" add constraint "document_chunks_chunk_type_check" check ("chunk_type" in ('text', 'list', 'table', 'mixed'));`,
    );
    this.addSql(
      `alter table "document_chunks" add constraint "document_chunks_embedding_status_check" check ("embedding_status" in ('pending', 'completed', 'failed'));`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "document_pages" cascade;`);
    this.addSql(`drop table if exists "document_details" cascade;`);
    this.addSql(`drop table if exists "document_chunks" cascade;`);
  }
}
