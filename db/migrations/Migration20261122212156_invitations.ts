import { Migration } from '@mikro-orm/migrations';

export class Migration20261122212156_invitations extends Migration {
  override name = 'Migration20261122212156_invitations';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "invitations" ("tenant_id" uuid not null, "user_id" uuid not null, "role" text not null, "created_at" timestamptz not null, primary key ("tenant_id", "user_id"));`,
    );
    this.addSql(`create index "invitations_user_id_index" on "invitations" ("user_id");`);

    this.addSql(
      `alter table "invitations" add constraint "invitations_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id") on update cascade on delete cascade;`,
    );
    this.addSql(
      `alter table "invitations" add constraint "invitations_user_id_foreign" foreign key ("user_id") references "users" ("id") on update cascade on delete cascade;`,
    );
    this.addSql(
      `alter table "invitations" add constraint "invitations_role_check" check ("role" in ('viewer', 'editor', 'admin'));`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "invitations" cascade;`);
  }
}
