import { Migration } from '@mikro-orm/migrations';

/** Whether a pass of an import could not list a part of its source. */
export class Migration20261130090000_partial_passes extends Migration {
  override name = 'Migration20261130090000_partial_passes';

  override up(): void | Promise<void> {
    this.addSql(`alter table "imports" add "partial" boolean not null default false;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "imports" drop column "partial";`);
  }
}
