import { Migration } from '@mikro-orm/migrations';

export class Migration20261129194156_page_images extends Migration {
  override name = 'Migration20261129194156_page_images';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "page_images" ("file_id" uuid not null, "page_number" int not null, "width" int not null, "object_key" text null, "content_type" varchar(255) null, "size_bytes" int not null, "content_hash" varchar(64) null, "error" jsonb null, "drawn_at" timestamptz not null, primary key ("file_id", "page_number", "width"));`,
    );

    this.addSql(
      `alter table "page_images" add constraint "page_images_file_id_foreign" foreign key ("file_id") references "files" ("id") on delete cascade;`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "page_images" cascade;`);
  }
}
