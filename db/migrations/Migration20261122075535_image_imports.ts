import { Migration } from '@mikro-orm/migrations';

export class Migration20261122075535_image_imports extends Migration {
  override name = 'Migration20261122075535_image_imports';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "image_imports" ("id" uuid not null, "tenant_id" uuid not null, "url" text null, "content_category" text not null, "options" jsonb not null, "status" text not null, "error" jsonb null, "duplicate_of" uuid null, "engine_due_at" timestamptz null, "created_at" timestamptz not null, "updated_at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(`create index "image_imports_tenant_id_index" on "image_imports" ("tenant_id");`);
    this.addSql(
      `create index "image_imports_engine_due" on "image_imports" ("engine_due_at") where "engine_due_at" is not null;`,
    );
    this.addSql(`create index "image_imports_pending" on "image_imports" ("id") where "status" = 'pending';`);
    this.addSql(
      `create index "image_imports_failed" on "image_imports" ("updated_at") where "status" = 'failed';`,
    );
    this.addSql(
      `create index "image_imports_duplicate" on "image_imports" ("duplicate_of") where "duplicate_of" is not null;`,
    );

    this.addSql(`alter table "files" drop constraint "files_content_category_check";`);
    this.addSql(
      `alter table "files" add constraint "files_content_category_check" check ("content_category" in ('general', 'blueprint', 'ce_plan', 'technical_diagram', 'architectural_design', 'product_photo', 'real_estate', 'mining', 'robotics', 'artwork', 'screenshot', 'document', 'map', 'pid', 'pfd', 'construction', 'facility_assessment', 'auto'));`,
    );

    this.addSql(`alter table "file_descriptions" add "confidence" real null;`);

    this.addSql(
      `alter table "image_imports" add constraint "image_imports_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id");`,
    );
    this.addSql(
      `alter table "image_imports" add constraint "image_imports_content_category_check" check ("content_category" in ('general', 'blueprint', 'ce_plan', 'technical_diagram', 'architectural_design', 'product_photo', 'real_estate', 'mining', 'robotics', 'artwork', 'screenshot', 'document', 'map', 'pid', 'pfd', 'construction', 'facility_assessment', 'auto'));`,
    );
    this.addSql(
      `alter table "image_imports" add constraint "image_imports_status_check" check ("status" in ('pending', 'completed', 'failed'));`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "image_imports" cascade;`);

    this.addSql(`alter table "file_descriptions" drop column "confidence";`);

    this.addSql(`update "files" set "content_category" = 'general' where "content_category" = 'auto';`);
    this.addSql(`alter table "files" drop constraint "files_content_category_check";`);
    this.addSql(
      `alter table "files" add constraint "files_content_category_check" check ("content_category" in ('general', 'blueprint', 'ce_plan', 'technical_diagram', 'architectural_design', 'product_photo', 'real_estate', 'mining', 'robotics', 'artwork', 'screenshot', 'document', 'map', 'pid', 'pfd', 'construction', 'facility_assessment'));`,
    );
  }
}
