import { Migration } from '@mikro-orm/migrations';

export class Migration20261122045208_login extends Migration {
  override name = 'Migration20261122045208_login';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "oidc_flows" ("cookie_hash" varchar(64) not null, "state" varchar(255) not null, "nonce" varchar(255) not null, "code_verifier" varchar(255) not null, "expires_at" timestamptz not null, primary key ("cookie_hash"));`,
    );
    this.addSql(`create index "oidc_flows_expires_at_index" on "oidc_flows" ("expires_at");`);

    this.addSql(
      `create table "external_identities" ("issuer" varchar(500) not null, "subject" varchar(255) not null, "user_id" uuid not null, "created_at" timestamptz not null, primary key ("issuer", "subject"));`,
    );
    this.addSql(`create index "external_identities_user_id_index" on "external_identities" ("user_id");`);

    this.addSql(
      `create table "account_tokens" ("token_hash" varchar(64) not null, "kind" text not null, "user_id" uuid not null, "tenant_id" uuid null, "email" varchar(255) not null, "created_at" timestamptz not null, "expires_at" timestamptz not null, primary key ("token_hash"));`,
    );
    this.addSql(`create index "account_tokens_user_id_index" on "account_tokens" ("user_id");`);
    this.addSql(`create index "account_tokens_expires_at_index" on "account_tokens" ("expires_at");`);

    this.addSql(`alter table "tenants" add "deleted_at" timestamptz null;`);
    this.addSql(`create index "tenants_deleted" on "tenants" ("deleted_at") where "deleted_at" is not null;`);

    this.addSql(`alter table "users" add "pending_email" varchar(255) null;`);

    this.addSql(
      `alter table "external_identities" add constraint "external_identities_user_id_foreign" foreign key ("user_id") references "users" ("id");`,
    );

    this.addSql(
      `alter table "account_tokens" add constraint "account_tokens_user_id_foreign" foreign key ("user_id") references "users" ("id");`,
    );
    this.addSql(
      `alter table "account_tokens" add constraint "account_tokens_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id") on delete set null;`,
    );
    this.addSql(
      `alter table "account_tokens" add constraint "account_tokens_kind_check" check ("kind" in ('verify_email', 'reset_password', 'change_email', 'invitation'));`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "oidc_flows" cascade;`);
    this.addSql(`drop table if exists "external_identities" cascade;`);
    this.addSql(`drop table if exists "account_tokens" cascade;`);

    this.addSql(`drop index "tenants_deleted";`);
    this.addSql(`alter table "tenants" drop column "deleted_at";`);

    this.addSql(`alter table "users" drop column "pending_email";`);
  }
}
