import { Migration } from '@mikro-orm/migrations';

export class Migration20261121112155_index_due extends Migration {
  override name = 'Migration20261121112155_index_due';

  override up(): void | Promise<void> {
    this.addSql(`alter table "files" add "index_due_at" timestamptz null;`);
    this.addSql(
      `create index "files_index_due" on "files" ("index_due_at") where "index_due_at" is not null;`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "files_index_due";`);
    this.addSql(`alter table "files" drop column "index_due_at";`);
  }
}
