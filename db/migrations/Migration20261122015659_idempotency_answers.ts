import { Migration } from '@mikro-orm/migrations';

/** Answers under an Idempotency-Key are made again from the resource. */
export class Migration20261122015659_idempotency_answers extends Migration {
  override name = 'Migration20261122015659_idempotency_answers';

  override up(): void | Promise<void> {
    this.addSql(`alter table "idempotency_keys" add "answered_at" timestamptz null;`);
    this.addSql(
      `update "idempotency_keys" set "answered_at" = "created_at" where "response_status" is not null;`,
    );
    this.addSql(`alter table "idempotency_keys" drop column "response_body", drop column "response_status";`);
  }

  // Requests that were answered count as abandoned: a repeat takes over, with the same resource.
  override down(): void | Promise<void> {
    this.addSql(`alter table "idempotency_keys" drop column "answered_at";`);
    this.addSql(
      `alter table "idempotency_keys" add "response_body" jsonb null, add "response_status" int null;`,
    );
  }
}
