import { Migration } from '@mikro-orm/migrations';

/** The length of login sessions that an account sets for its members. */
export class Migration20261130034500_session_hours extends Migration {
  override name = 'Migration20261130034500_session_hours';

  override up(): void | Promise<void> {
    this.addSql(`alter table "tenants" add "session_hours" int null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "tenants" drop column "session_hours";`);
  }
}
