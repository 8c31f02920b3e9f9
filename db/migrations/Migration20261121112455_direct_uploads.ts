import { Migration } from '@mikro-orm/migrations';

export class Migration20261121112455_direct_uploads extends Migration {
  override name = 'Migration20261121112455_direct_uploads';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "idempotency_keys" ("tenant_id" uuid not null, "route" varchar(255) not null, "key" varchar(128) not null, "request_hash" varchar(64) not null, "resource_id" uuid not null, "holder" uuid not null, "leased_until" timestamptz not null, "response_status" int null, "response_body" jsonb null, "created_at" timestamptz not null, primary key ("tenant_id", "route", "key"));`,
    );
    this.addSql(`create index "idempotency_keys_created_at_index" on "idempotency_keys" ("created_at");`);

    this.addSql(
      `create table "upload_intents" ("id" uuid not null, "tenant_id" uuid not null, "mode" text not null, "status" text not null, "filename" varchar(255) not null, "content_type" varchar(255) not null, "media_type" text not null, "size_bytes" bigint not null, "claimed_sha256" varchar(64) not null, "title" varchar(255) null, "tags" text[] not null, "content_category" text not null, "options" jsonb not null, "object_key" text not null, "store_upload_id" text null, "part_size_bytes" bigint null, "total_parts" int null, "round" int not null, "file_id" uuid not null, "duplicate_of" uuid null, "complete_requested_at" timestamptz null, "signalled_at" timestamptz null, "error" jsonb null, "abort_reason" varchar(255) null, "created_at" timestamptz not null, "updated_at" timestamptz not null, "expires_at" timestamptz not null, "confirmed_at" timestamptz null, "clean_at" timestamptz null, primary key ("id"));`,
    );
    this.addSql(`create index "upload_intents_tenant_id_index" on "upload_intents" ("tenant_id");`);
    this.addSql(
      `create index "upload_intents_unsent" on "upload_intents" ("updated_at") where "signalled_at" is null;`,
    );
    this.addSql(
      `create index "upload_intents_to_clean" on "upload_intents" ("clean_at") where "clean_at" is not null;`,
    );

    this.addSql(
      `create table "upload_parts" ("upload_id" uuid not null, "part_number" int not null, "etag" varchar(255) not null, "size_bytes" bigint not null, "confirmed_at" timestamptz not null, primary key ("upload_id", "part_number"));`,
    );

    this.addSql(
      `alter table "idempotency_keys" add constraint "idempotency_keys_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id");`,
    );

    this.addSql(
      `alter table "upload_intents" add constraint "upload_intents_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id");`,
    );
    this.addSql(
      `alter table "upload_intents" add constraint "upload_intents_mode_check" check ("mode" in ('single_shot', 'multipart'));`,
    );
    this.addSql(
      `alter table "upload_intents" add constraint "upload_intents_status_check" check ("status" in ('PENDING', 'UPLOADED', 'COMPLETED', 'FAILED'));`,
    );
    this.addSql(
      `alter table "upload_intents" add constraint "upload_intents_media_type_check" check ("media_type" in ('image', 'document', 'video', 'link'));`,
    );
    this.addSql(
      `alter table "upload_intents" add constraint "upload_intents_content_category_check" check ("content_category" in ('general', 'blueprint', 'ce_plan', 'technical_diagram', 'architectural_design', 'product_photo', 'real_estate', 'mining', 'robotics', 'artwork', 'screenshot', 'document', 'map', 'pid', 'pfd', 'construction', 'facility_assessment'));`,
    );

    this.addSql(
      `alter table "upload_parts" add constraint "upload_parts_upload_id_foreign" foreign key ("upload_id") references "upload_intents" ("id") on delete cascade;`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "upload_parts" drop constraint "upload_parts_upload_id_foreign";`);

    this.addSql(`drop table if exists "idempotency_keys" cascade;`);
    this.addSql(`drop table if exists "upload_intents" cascade;`);
    this.addSql(`drop table if exists "upload_parts" cascade;`);
  }
}
