import { Migration } from '@mikro-orm/migrations';

/** Several providers of logins, and memberships by their groups. */
export class Migration20261130073500_providers_of_logins extends Migration {
  override name = 'Migration20261130073500_providers_of_logins';

  override up(): void | Promise<void> {
    this.addSql(`alter table "oidc_flows" add "provider" varchar(255) not null default 'default';`);
    this.addSql(`alter table "login_sessions" add "issuer" varchar(500) null;`);
    this.addSql(`alter table "memberships" add "granted_by" varchar(500) null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "oidc_flows" drop column "provider";`);
    this.addSql(`alter table "login_sessions" drop column "issuer";`);
    this.addSql(`alter table "memberships" drop column "granted_by";`);
  }
}
