import { Migration } from '@mikro-orm/migrations';

/**
 * The state of deliveries that version 0.1 kept in its workflows. How many attempts of a delivery its redeliveries have left behind: each begins the schedule
 * of attempts again. And a failed first attempt leaves the time of the next, which 0.1 writes once it has started the workflow.
 */
export class Migration20261130030000_attempts_before extends Migration {
  override name = 'Migration20261130030000_attempts_before';

  override up(): void | Promise<void> {
    this.addSql(`alter table "webhook_deliveries" add "attempts_before" int not null default 0;`);
    this.addSql(
      `update "webhook_deliveries" set "attempts_before" = "attempts"
       where "generation" > 1 and "status" in ('pending', 'sending', 'retrying');`,
    );
    this.addSql(
      `update "webhook_deliveries" set "engine_due_at" = "next_attempt_at"
       where "status" = 'retrying' and "engine_due_at" < "next_attempt_at";`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "webhook_deliveries" drop column "attempts_before";`);
  }
}
