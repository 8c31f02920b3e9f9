import { Migration } from '@mikro-orm/migrations';

/** Retention by account and folder, and files that must not be deleted. */
export class Migration20261130025701_retention extends Migration {
  override name = 'Migration20261130025701_retention';

  override up(): void | Promise<void> {
    this.addSql(`alter table "tenants" add "retention_days" int null, add "trash_days" int null;`);

    this.addSql(
      `alter table "files" add "purge_at" timestamptz null, add "retained_from" timestamptz null, add "hold" jsonb null;`,
    );
    this.addSql(`create index "files_held" on "files" ("tenant_id") where "hold" is not null;`);

    this.addSql(`alter table "folders" add "retention_days" int null, add "trash_days" int null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "files_held";`);
    this.addSql(
      `alter table "files" drop column "purge_at", drop column "retained_from", drop column "hold";`,
    );

    this.addSql(`alter table "folders" drop column "retention_days", drop column "trash_days";`);

    this.addSql(`alter table "tenants" drop column "retention_days", drop column "trash_days";`);
  }
}
