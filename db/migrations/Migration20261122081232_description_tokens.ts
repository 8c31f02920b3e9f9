import { Migration } from '@mikro-orm/migrations';

/** All tokens of the call that made a description: its thinking, and what a cache held of it. */
export class Migration20261122081232_description_tokens extends Migration {
  override name = 'Migration20261122081232_description_tokens';

  override up(): void | Promise<void> {
    this.addSql(
      `alter table "file_descriptions" add "thinking_tokens" int null, add "cache_read_tokens" int not null default 0, add "cache_creation_tokens" int not null default 0;`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(
      `alter table "file_descriptions" drop column "thinking_tokens", drop column "cache_read_tokens", drop column "cache_creation_tokens";`,
    );
  }
}
