import { Migration } from '@mikro-orm/migrations';

/** Imports that repeat, and what they no longer find. */
export class Migration20261130034000_import_passes extends Migration {
  override name = 'Migration20261130034000_import_passes';

  override up(): void | Promise<void> {
    this.addSql(
      `alter table "imports" add "repeat_hours" int null, add "when_gone" text not null default 'keep', add "pass" int not null default 1, add "seen" boolean not null default false, add "gone_pass" int not null default 1, add "next_pass_at" timestamptz null, add "gone" int not null default 0, add "max_per_minute" int null;`,
    );
    this.addSql(
      `alter table "imports" add constraint "imports_when_gone_check" check ("when_gone" in ('keep', 'trash'));`,
    );
    this.addSql(
      `create index "imports_next_pass" on "imports" ("next_pass_at") where "next_pass_at" is not null;`,
    );
    this.addSql(
      `alter table "import_items" add "pass" int not null default 1, add "gone_at" timestamptz null;`,
    );
    this.addSql(
      `create index "import_items_gone" on "import_items" ("import_id", "id") where "gone_at" is not null;`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "import_items_gone";`);
    this.addSql(`alter table "import_items" drop column "pass", drop column "gone_at";`);
    this.addSql(`drop index "imports_next_pass";`);
    this.addSql(`alter table "imports" drop constraint "imports_when_gone_check";`);
    this.addSql(
      `alter table "imports" drop column "repeat_hours", drop column "when_gone", drop column "pass", drop column "seen", drop column "gone_pass", drop column "next_pass_at", drop column "gone", drop column "max_per_minute";`,
    );
  }
}
