import { Migration } from '@mikro-orm/migrations';

export class Migration20261123080100_links extends Migration {
  override name = 'Migration20261123080100_links';

  override up(): void | Promise<void> {
    this.addSql(
      `alter table "files" add column "source_url" text null, add column "duplicate_of" uuid null;`,
    );
    this.addSql(
      `create index "files_source_url" on "files" ("tenant_id", "source_url") where "source_url" is not null;`,
    );
    this.addSql(
      `create table "link_details" ("file_id" uuid not null, "tenant_id" uuid not null, "generation" int not null, "final_url" text not null, "domain" text not null, "canonical_url" text not null, "title" text null, "description" text null, "site_name" text null, "author" text null, "published_at" text null, "language" varchar(255) null, "favicon_url" text null, "metadata" jsonb not null, "types" text[] not null, "images" jsonb not null, "lead_image_url" text null, "etag" text null, "last_modified" text null, "content_hash" varchar(64) not null, "page_bytes" int not null, "crawled_at" timestamptz not null, "changed_at" timestamptz not null, primary key ("file_id"));`,
    );
    this.addSql(`create index "link_details_canonical" on "link_details" ("tenant_id", "canonical_url");`);
    this.addSql(`create index "link_details_final" on "link_details" ("tenant_id", "final_url");`);
    this.addSql(
      `alter table "link_details" add constraint "link_details_file_id_foreign" foreign key ("file_id") references "files" ("id") on update cascade on delete cascade;`,
    );
    this.addSql(
      `alter table "link_details" add constraint "link_details_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id");`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "link_details" cascade;`);
    this.addSql(`alter table "files" drop column "source_url", drop column "duplicate_of";`);
  }
}
