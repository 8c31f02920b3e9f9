import { Migration } from '@mikro-orm/migrations';

/** How many attempts of a delivery its redeliveries have left behind: each begins the schedule of attempts again. */
export class Migration20261130030000_attempts_before extends Migration {
  override name = 'Migration20261130030000_attempts_before';

  override up(): void | Promise<void> {
    this.addSql(`alter table "webhook_deliveries" add "attempts_before" int not null default 0;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "webhook_deliveries" drop column "attempts_before";`);
  }
}
