import { Migration } from '@mikro-orm/migrations';

export class Migration20261129170000_parent_files extends Migration {
  override name = 'Migration20261129170000_parent_files';

  override up(): void | Promise<void> {
    this.addSql(`alter table "files" add column "parent_file_id" uuid null;`);
    this.addSql(
      `alter table "files" add constraint "files_parent_foreign" foreign key ("parent_file_id") references "files" ("id") on delete set null not valid;`,
    );
    this.addSql(
      `create index "files_parent" on "files" ("parent_file_id") where "parent_file_id" is not null;`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "files" drop constraint "files_parent_foreign";`);
    this.addSql(`drop index "files_parent";`);
    this.addSql(`alter table "files" drop column "parent_file_id";`);
  }
}
