import { Migration } from '@mikro-orm/migrations';

const MEASURED = '"width", "height", "blur_hash", "image_facts"';

/** `files` keeps what all media have; what an image alone has gets a table. */
export class Migration20261121223713_image_details extends Migration {
  override name = 'Migration20261121223713_image_details';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "image_details" ("file_id" uuid not null, "width" int not null, "height" int not null, "blur_hash" varchar(255) not null, "image_facts" jsonb not null, "text_regions" jsonb null, primary key ("file_id"));`,
    );
    // The four were always written together; whatever lacks one of them has not been decoded.
    this.addSql(
      `insert into "image_details" ("file_id", ${MEASURED}, "text_regions") select "id", ${MEASURED}, "text_regions" from "files" where "width" is not null and "height" is not null and "blur_hash" is not null and "image_facts" is not null;`,
    );
    this.addSql(
      `alter table "image_details" add constraint "image_details_file_id_foreign" foreign key ("file_id") references "files" ("id") on update cascade on delete cascade;`,
    );
    this.addSql(
      `alter table "files" drop column "blur_hash", drop column "height", drop column "image_facts", drop column "text_regions", drop column "width";`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(
      `alter table "files" add "blur_hash" varchar(255) null, add "height" int null, add "image_facts" jsonb null, add "text_regions" jsonb null, add "width" int null;`,
    );
    this.addSql(
      `update "files" set (${MEASURED}, "text_regions") = (select ${MEASURED}, "text_regions" from "image_details" where "file_id" = "files"."id") where exists (select from "image_details" where "file_id" = "files"."id");`,
    );
    this.addSql(`drop table "image_details";`);
  }
}
