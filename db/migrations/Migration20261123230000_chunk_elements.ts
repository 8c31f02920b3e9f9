import { Migration } from '@mikro-orm/migrations';

/** Existing chunks have no elements, and count as text, until they are made again. */
export class Migration20261123230000_chunk_elements extends Migration {
  override name = 'Migration20261123230000_chunk_elements';

  override up(): void | Promise<void> {
    this.addSql(
      `alter table "document_chunks" add "role" text not null default 'body', add "elements" int[] not null default '{}';`,
    );
    this.addSql(
      `alter table "document_chunks" add constraint "document_chunks_role_check" check ("role" in ('body', 'contents', 'index'));`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "document_chunks" drop constraint "document_chunks_role_check";`);
    this.addSql(`alter table "document_chunks" drop column "role", drop column "elements";`);
  }
}
