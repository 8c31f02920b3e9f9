import { Migration } from '@mikro-orm/migrations';

/** The configuration in whose bucket an object lies, see domain/object-keys.ts. */
const STORAGE_CONFIG_ID = `"storage_config_id" uuid null
  generated always as (substring("object_key" from '^tenants/[^/]+/buckets/([0-9a-f-]{36})/')::uuid) stored`;

export class Migration20261122050447_storage_configs extends Migration {
  override name = 'Migration20261122050447_storage_configs';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "storage_configs" ("id" uuid not null, "tenant_id" uuid not null, "endpoint" varchar(500) not null, "region" varchar(64) not null, "bucket_name" varchar(63) not null, "credentials" text not null, "encryption_key_id" varchar(32) not null, "version" int not null, "configured_at" timestamptz not null, "is_validated" boolean not null, "error" text null, "retired_at" timestamptz null, primary key ("id"));`,
    );
    this.addSql(
      `create index "storage_configs_encryption_key_id_index" on "storage_configs" ("encryption_key_id");`,
    );
    this.addSql(
      `create unique index "storage_configs_active" on "storage_configs" ("tenant_id") where "retired_at" is null;`,
    );
    this.addSql(
      `create index "storage_configs_retired" on "storage_configs" ("retired_at") where "retired_at" is not null;`,
    );
    this.addSql(
      `alter table "storage_configs" add constraint "storage_configs_bucket" unique ("tenant_id", "endpoint", "bucket_name");`,
    );
    this.addSql(
      `alter table "storage_configs" add constraint "storage_configs_of_tenant" unique ("tenant_id", "id");`,
    );
    this.addSql(
      `alter table "storage_configs" add constraint "storage_configs_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id");`,
    );

    // A configuration cannot be deleted while a row names an object in its bucket, nor be named by another tenant.
    for (const table of ['files', 'upload_intents']) {
      this.addSql(`alter table "${table}" add ${STORAGE_CONFIG_ID};`);
      this.addSql(
        `alter table "${table}" add constraint "${table}_storage_config" foreign key ("tenant_id", "storage_config_id") references "storage_configs" ("tenant_id", "id");`,
      );
      this.addSql(
        `create index "${table}_storage_config" on "${table}" ("storage_config_id") where "storage_config_id" is not null;`,
      );
    }
    this.addSql(`alter table "claimed_objects" add ${STORAGE_CONFIG_ID};`);
    this.addSql(
      `alter table "claimed_objects" add constraint "claimed_objects_storage_config" foreign key ("storage_config_id") references "storage_configs" ("id");`,
    );
  }

  override down(): void | Promise<void> {
    for (const table of ['files', 'upload_intents', 'claimed_objects']) {
      this.addSql(`alter table "${table}" drop column "storage_config_id";`);
    }
    this.addSql(`drop table if exists "storage_configs" cascade;`);
  }
}
