import { Migration } from '@mikro-orm/migrations';

/** Folders and projects. Every reference includes the tenant, so none can lead to another one. */
export class Migration20261122043031_folders extends Migration {
  override name = 'Migration20261122043031_folders';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "projects" ("tenant_id" uuid not null, "id" uuid not null, "name" varchar(255) not null, "slug" varchar(255) not null, "description" text null, "root_folder_id" uuid not null, "default_content_category" text null, "created_at" timestamptz not null, "archived_at" timestamptz null, "deleted_at" timestamptz null, primary key ("tenant_id", "id"));`,
    );
    this.addSql(
      `create unique index "projects_slug" on "projects" ("tenant_id", "slug") where "deleted_at" is null;`,
    );
    this.addSql(
      `alter table "projects" add constraint "projects_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id");`,
    );
    this.addSql(
      `alter table "projects" add constraint "projects_default_content_category_check" check ("default_content_category" in ('general', 'blueprint', 'ce_plan', 'technical_diagram', 'architectural_design', 'product_photo', 'real_estate', 'mining', 'robotics', 'artwork', 'screenshot', 'document', 'map', 'pid', 'pfd', 'construction', 'facility_assessment'));`,
    );

    this.addSql(
      `create table "folders" ("tenant_id" uuid not null, "id" uuid not null, "parent_id" uuid null, "project_id" uuid null, "name" varchar(255) not null, "created_at" timestamptz not null, "deleted_at" timestamptz null, "empty_due_at" timestamptz null, primary key ("tenant_id", "id"));`,
    );
    this.addSql(
      `create unique index "folders_name" on "folders" ("tenant_id", "parent_id", "name") nulls not distinct where "deleted_at" is null;`,
    );
    this.addSql(`create index "folders_parent" on "folders" ("tenant_id", "parent_id");`);
    this.addSql(
      `create index "folders_project" on "folders" ("tenant_id", "project_id") where "project_id" is not null;`,
    );
    this.addSql(`create index "folders_deleted" on "folders" ("deleted_at") where "deleted_at" is not null;`);
    this.addSql(
      `create index "folders_to_empty" on "folders" ("empty_due_at") where "empty_due_at" is not null;`,
    );
    this.addSql(
      `alter table "folders" add constraint "folders_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id");`,
    );
    this.addSql(
      `alter table "folders" add constraint "folders_parent_foreign" foreign key ("tenant_id", "parent_id") references "folders" ("tenant_id", "id");`,
    );
    this.addSql(
      `alter table "folders" add constraint "folders_project_foreign" foreign key ("tenant_id", "project_id") references "projects" ("tenant_id", "id");`,
    );
    // A project and its root folder refer to each other.
    this.addSql(
      `alter table "projects" add constraint "projects_root_folder_foreign" foreign key ("tenant_id", "root_folder_id") references "folders" ("tenant_id", "id") deferrable initially deferred;`,
    );

    this.addSql(`alter table "files" add "folder_id" uuid null;`);
    this.addSql(
      `alter table "files" add constraint "files_folder_foreign" foreign key ("tenant_id", "folder_id") references "folders" ("tenant_id", "id");`,
    );
    // Also of the root and of the trash: lists read both by folder, and what is included answers counts.
    this.addSql(
      `create index "files_folder" on "files" ("tenant_id", "folder_id", "created_at", "id") include ("deleted_at");`,
    );
    this.addSql(`alter table "upload_intents" add "folder_id" uuid null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "upload_intents" drop column "folder_id";`);
    this.addSql(`alter table "files" drop column "folder_id";`);
    this.addSql(`drop table "projects", "folders" cascade;`);
  }
}
