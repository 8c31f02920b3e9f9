import { Migration } from '@mikro-orm/migrations';

export class Migration20261122044822_keys_and_members extends Migration {
  override name = 'Migration20261122044822_keys_and_members';

  override up(): void | Promise<void> {
    this.addSql(`alter table "api_keys" drop constraint "api_keys_created_by_foreign";`);

    this.addSql(
      `create index "audit_events_type_newest" on "audit_events" ("tenant_id", "event_type", "occurred_at", "id");`,
    );
    this.addSql(
      `create index "audit_events_user_newest" on "audit_events" ("tenant_id", "user_id", "occurred_at", "id");`,
    );
    this.addSql(
      `create index "audit_events_severity_newest" on "audit_events" ("tenant_id", "severity", "occurred_at", "id");`,
    );
    this.addSql(
      `create index "audit_events_result_newest" on "audit_events" ("tenant_id", "result", "occurred_at", "id");`,
    );
    this.addSql(`create index "audit_events_oldest" on "audit_events" ("occurred_at");`);

    this.addSql(`alter table "memberships" add "last_active_at" timestamptz null;`);

    this.addSql(`drop index "api_keys_tenant_id_index";`);
    this.addSql(
      `alter table "api_keys" add constraint "api_keys_created_by_foreign" foreign key ("created_by") references "users" ("id") on delete cascade;`,
    );
    this.addSql(`create index "api_keys_created_by_index" on "api_keys" ("created_by");`);
    this.addSql(`create index "api_keys_tenant_newest" on "api_keys" ("tenant_id", "created_at", "id");`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "api_keys" drop constraint "api_keys_created_by_foreign";`);

    this.addSql(`drop index "api_keys_created_by_index";`);
    this.addSql(`drop index "api_keys_tenant_newest";`);
    this.addSql(
      `alter table "api_keys" add constraint "api_keys_created_by_foreign" foreign key ("created_by") references "users" ("id") on delete set null;`,
    );
    this.addSql(`create index "api_keys_tenant_id_index" on "api_keys" ("tenant_id");`);

    this.addSql(`drop index "audit_events_type_newest";`);
    this.addSql(`drop index "audit_events_user_newest";`);
    this.addSql(`drop index "audit_events_severity_newest";`);
    this.addSql(`drop index "audit_events_result_newest";`);
    this.addSql(`drop index "audit_events_oldest";`);

    this.addSql(`alter table "memberships" drop column "last_active_at";`);
  }
}
