import { Migration } from '@mikro-orm/migrations';

export class Migration20261121083120 extends Migration {
  override name = 'Migration20261121083120';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "reconciler_cursor" ("id" serial primary key, "closed_until" timestamptz not null);`,
    );

    this.addSql(
      `create table "tenants" ("id" uuid not null, "name" varchar(255) not null, "tier" text not null, "created_at" timestamptz not null, primary key ("id"));`,
    );

    this.addSql(
      `create table "files" ("id" uuid not null, "tenant_id" uuid not null, "media_type" text not null, "content_type" varchar(255) not null, "format" varchar(255) not null, "filename" varchar(255) not null, "title" varchar(255) null, "tags" text[] not null, "content_category" text not null, "size_bytes" bigint not null, "sha256" varchar(64) not null, "object_key" text not null, "options" jsonb not null, "width" int null, "height" int null, "blur_hash" varchar(255) null, "image_facts" jsonb null, "content_created_at" timestamptz null, "upload_description" text null, "described_at" timestamptz null, "generation" int not null, "seq" int not null, "components" jsonb not null, "primary_status" text not null, "workflow_started_at" timestamptz null, "created_at" timestamptz not null, "updated_at" timestamptz not null, "deleted_at" timestamptz null, primary key ("id"));`,
    );
    this.addSql(
      `create index "files_tenant_created" on "files" ("tenant_id", "deleted_at", "created_at", "id");`,
    );
    this.addSql(`create index "files_tenant_sha" on "files" ("tenant_id", "sha256");`);
    this.addSql(
      `create index "files_not_started" on "files" ("updated_at") where "workflow_started_at" is null;`,
    );

    this.addSql(
      `create table "file_variants" ("file_id" uuid not null, "type" varchar(255) not null, "object_key" text not null, "content_type" varchar(255) not null, "width" int not null, "height" int not null, "size_bytes" int not null, primary key ("file_id", "type"));`,
    );

    this.addSql(
      `create table "file_timelines" ("file_id" uuid not null, "generation" int not null, "run" jsonb not null, primary key ("file_id", "generation"));`,
    );

    this.addSql(
      `create table "file_descriptions" ("file_id" uuid not null, "generation" int not null, "provider" varchar(255) not null, "model" varchar(255) not null, "prompt_version" varchar(255) not null, "description" text not null, "tags" text[] not null, "input_tokens" int not null, "output_tokens" int not null, "created_at" timestamptz not null, primary key ("file_id", "generation"));`,
    );

    this.addSql(
      `create table "credit_entries" ("reservation_id" varchar(255) not null, "closes" boolean not null, "kind" text not null, "tenant_id" uuid not null, "amount" int not null, "month" date not null, "created_at" timestamptz not null, primary key ("reservation_id", "closes"));`,
    );
    this.addSql(`create index "credit_entries_tenant_id_index" on "credit_entries" ("tenant_id");`);

    this.addSql(
      `create table "credit_balances" ("tenant_id" uuid not null, "month" date not null, "used" int not null, primary key ("tenant_id", "month"));`,
    );

    this.addSql(
      `create table "api_keys" ("id" varchar(8) not null, "tenant_id" uuid not null, "name" varchar(255) not null, "key_hash" varchar(64) not null, "role" text not null, "created_at" timestamptz not null, "expires_at" timestamptz null, "revoked_at" timestamptz null, primary key ("id"));`,
    );
    this.addSql(`create index "api_keys_tenant_id_index" on "api_keys" ("tenant_id");`);
    this.addSql(`alter table "api_keys" add constraint "api_keys_key_hash_unique" unique ("key_hash");`);

    this.addSql(
      `create table "users" ("id" uuid not null, "email" varchar(255) not null, "name" varchar(255) not null, "password_hash" text null, "created_at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(`alter table "users" add constraint "users_email_unique" unique ("email");`);

    this.addSql(
      `create table "memberships" ("tenant_id" uuid not null, "user_id" uuid not null, "role" text not null, "joined_at" timestamptz not null, primary key ("tenant_id", "user_id"));`,
    );

    this.addSql(
      `alter table "tenants" add constraint "tenants_tier_check" check ("tier" in ('free', 'starter', 'professional', 'enterprise'));`,
    );

    this.addSql(
      `alter table "files" add constraint "files_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id");`,
    );
    this.addSql(
      `alter table "files" add constraint "files_media_type_check" check ("media_type" in ('image', 'document', 'video', 'link'));`,
    );
    this.addSql(
      `alter table "files" add constraint "files_content_category_check" check ("content_category" in ('general', 'blueprint', 'ce_plan', 'technical_diagram', 'architectural_design', 'product_photo', 'real_estate', 'mining', 'robotics', 'artwork', 'screenshot', 'document', 'map', 'pid', 'pfd', 'construction', 'facility_assessment'));`,
    );
    this.addSql(
      `alter table "files" add constraint "files_primary_status_check" check ("primary_status" in ('pending', 'processing', 'completed', 'failed', 'partially_completed'));`,
    );

    this.addSql(
      `alter table "file_variants" add constraint "file_variants_file_id_foreign" foreign key ("file_id") references "files" ("id") on delete cascade;`,
    );

    this.addSql(
      `alter table "file_timelines" add constraint "file_timelines_file_id_foreign" foreign key ("file_id") references "files" ("id") on delete cascade;`,
    );

    this.addSql(
      `alter table "file_descriptions" add constraint "file_descriptions_file_id_foreign" foreign key ("file_id") references "files" ("id") on delete cascade;`,
    );

    this.addSql(
      `alter table "credit_entries" add constraint "credit_entries_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id");`,
    );
    this.addSql(
      `alter table "credit_entries" add constraint "credit_entries_kind_check" check ("kind" in ('reserve', 'spend', 'refund'));`,
    );

    this.addSql(
      `alter table "credit_balances" add constraint "credit_balances_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id");`,
    );

    this.addSql(
      `alter table "api_keys" add constraint "api_keys_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id");`,
    );
    this.addSql(
      `alter table "api_keys" add constraint "api_keys_role_check" check ("role" in ('viewer', 'editor', 'admin', 'owner'));`,
    );

    this.addSql(
      `alter table "memberships" add constraint "memberships_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id") on update cascade on delete cascade;`,
    );
    this.addSql(
      `alter table "memberships" add constraint "memberships_user_id_foreign" foreign key ("user_id") references "users" ("id") on update cascade on delete cascade;`,
    );
    this.addSql(
      `alter table "memberships" add constraint "memberships_role_check" check ("role" in ('viewer', 'editor', 'admin', 'owner'));`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "files" drop constraint "files_tenant_id_foreign";`);
    this.addSql(`alter table "credit_entries" drop constraint "credit_entries_tenant_id_foreign";`);
    this.addSql(`alter table "credit_balances" drop constraint "credit_balances_tenant_id_foreign";`);
    this.addSql(`alter table "api_keys" drop constraint "api_keys_tenant_id_foreign";`);
    this.addSql(`alter table "memberships" drop constraint "memberships_tenant_id_foreign";`);
    this.addSql(`alter table "file_variants" drop constraint "file_variants_file_id_foreign";`);
    this.addSql(`alter table "file_timelines" drop constraint "file_timelines_file_id_foreign";`);
    this.addSql(`alter table "file_descriptions" drop constraint "file_descriptions_file_id_foreign";`);
    this.addSql(`alter table "memberships" drop constraint "memberships_user_id_foreign";`);

    this.addSql(`drop table if exists "reconciler_cursor" cascade;`);
    this.addSql(`drop table if exists "tenants" cascade;`);
    this.addSql(`drop table if exists "files" cascade;`);
    this.addSql(`drop table if exists "file_variants" cascade;`);
    this.addSql(`drop table if exists "file_timelines" cascade;`);
    this.addSql(`drop table if exists "file_descriptions" cascade;`);
    this.addSql(`drop table if exists "credit_entries" cascade;`);
    this.addSql(`drop table if exists "credit_balances" cascade;`);
    this.addSql(`drop table if exists "api_keys" cascade;`);
    this.addSql(`drop table if exists "users" cascade;`);
    this.addSql(`drop table if exists "memberships" cascade;`);
  }
}
