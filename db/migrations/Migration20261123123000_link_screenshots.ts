import { Migration } from '@mikro-orm/migrations';

export class Migration20261123123000_link_screenshots extends Migration {
  override name = 'Migration20261123123000_link_screenshots';

  override up(): void | Promise<void> {
    this.addSql(
      `alter table "link_details" add column "screenshot_key" text null, add column "screenshot_at" timestamptz null, add column "screenshot_error" text null;`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(
      `alter table "link_details" drop column "screenshot_key", drop column "screenshot_at", drop column "screenshot_error";`,
    );
  }
}
