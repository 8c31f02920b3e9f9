import { Migration } from '@mikro-orm/migrations';

/** What the webhooks of single requests learn of their receivers is kept by host. */
export class Migration20261123080216_failing_hosts extends Migration {
  override name = 'Migration20261123080216_failing_hosts';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "webhook_failing_hosts" ("tenant_id" uuid not null, "host" text not null, "failing_since" timestamptz not null, "last_dispatched_at" timestamptz not null, primary key ("tenant_id", "host"));`,
    );
    this.addSql(
      `create index "webhook_failing_hosts_last_dispatched" on "webhook_failing_hosts" ("last_dispatched_at");`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table "webhook_failing_hosts";`);
  }
}
