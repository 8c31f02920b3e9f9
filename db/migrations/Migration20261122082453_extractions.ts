import { Migration } from '@mikro-orm/migrations';

/** Saved schemas and extractions by them; the schema of a project. */
export class Migration20261122082453_extractions extends Migration {
  override name = 'Migration20261122082453_extractions';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "extraction_schema_versions" ("tenant_id" uuid not null, "schema_id" uuid not null, "version" int not null, "schema" json not null, "prompt_hint" text null, "created_at" timestamptz not null, primary key ("tenant_id", "schema_id", "version"));`,
    );

    this.addSql(
      `create table "extraction_schemas" ("tenant_id" uuid not null, "id" uuid not null, "name" varchar(255) not null, "description" text null, "status" text not null, "version" int not null, "created_at" timestamptz not null, "updated_at" timestamptz not null, "deleted_at" timestamptz null, primary key ("tenant_id", "id"));`,
    );
    this.addSql(
      `create unique index "extraction_schemas_name" on "extraction_schemas" ("tenant_id", lower("name")) where "deleted_at" is null;`,
    );

    this.addSql(
      `create table "extractions" ("id" uuid not null, "tenant_id" uuid not null, "source" text not null, "file_id" uuid null, "generation" int null, "source_url" text null, "schema" json not null, "schema_id" uuid null, "schema_version" int null, "prompt" text null, "level" text not null, "citations_requested" boolean not null, "give_up_at" timestamptz null, "status" text not null, "error" jsonb null, "object_keys" text[] not null default '{}', "read_page" jsonb null, "data" json null, "citations" jsonb null, "confidence" double precision null, "provider" varchar(255) null, "model" varchar(255) null, "prompt_version" varchar(255) null, "usage" jsonb null, "processing_ms" int null, "api_key_id" varchar(8) null, "user_id" uuid null, "engine_due_at" timestamptz null, "created_at" timestamptz not null, "updated_at" timestamptz not null, "completed_at" timestamptz null, primary key ("id"));`,
    );
    this.addSql(
      `create index "extractions_engine_due" on "extractions" ("engine_due_at") where "engine_due_at" is not null;`,
    );
    this.addSql(
      `create index "extractions_open" on "extractions" ("updated_at") where "status" = 'processing';`,
    );
    this.addSql(`create index "extractions_file" on "extractions" ("file_id", "created_at");`);
    this.addSql(`create index "extractions_of_tenant" on "extractions" ("tenant_id", "created_at");`);

    this.addSql(
      `create table "extraction_parts" ("extraction_id" uuid not null, "part" int not null, "data" json not null, "confidence" double precision null, "provider" varchar(255) not null, "model" varchar(255) not null, "prompt_version" varchar(255) not null, "input_tokens" int not null, "output_tokens" int not null, "thinking_tokens" int null, "cache_read_tokens" int not null, "cache_creation_tokens" int not null, "created_at" timestamptz not null, primary key ("extraction_id", "part"));`,
    );

    this.addSql(`alter table "projects" add "default_schema_id" uuid null;`);

    this.addSql(
      `alter table "extraction_schema_versions" add constraint "extraction_schema_versions_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id");`,
    );

    this.addSql(
      `alter table "extraction_schemas" add constraint "extraction_schemas_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id");`,
    );
    this.addSql(
      `alter table "extraction_schemas" add constraint "extraction_schemas_status_check" check ("status" in ('draft', 'live'));`,
    );

    this.addSql(
      `alter table "extractions" add constraint "extractions_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id");`,
    );
    this.addSql(
      `alter table "extractions" add constraint "extractions_file_id_foreign" foreign key ("file_id") references "files" ("id") on delete cascade;`,
    );
    this.addSql(
      `alter table "extractions" add constraint "extractions_source_check" check ("source" in ('file', 'url', 'base64', 'upload'));`,
    );
    this.addSql(
      `alter table "extractions" add constraint "extractions_level_check" check ("level" in ('quick', 'default', 'standard', 'thorough', 'critical'));`,
    );
    this.addSql(
      `alter table "extractions" add constraint "extractions_status_check" check ("status" in ('processing', 'completed', 'failed'));`,
    );

    this.addSql(
      `alter table "extraction_parts" add constraint "extraction_parts_extraction_id_foreign" foreign key ("extraction_id") references "extractions" ("id") on delete cascade;`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "extraction_parts" drop constraint "extraction_parts_extraction_id_foreign";`);

    this.addSql(`drop table if exists "extraction_schema_versions" cascade;`);
    this.addSql(`drop table if exists "extraction_schemas" cascade;`);
    this.addSql(`drop table if exists "extractions" cascade;`);
    this.addSql(`drop table if exists "extraction_parts" cascade;`);

    this.addSql(`alter table "projects" drop column "default_schema_id";`);
  }
}
