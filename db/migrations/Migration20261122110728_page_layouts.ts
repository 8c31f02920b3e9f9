import { Migration } from '@mikro-orm/migrations';

/** Pages of scans are laid out by a model, where there is one. */
export class Migration20261122110728_page_layouts extends Migration {
  override name = 'Migration20261122110728_page_layouts';

  override up(): void | Promise<void> {
    this.addSql(
      `alter table "document_pages" add "layout_due" boolean not null default false, add "recognised" jsonb null, add "laid_out_by" jsonb null, add "layout_error" jsonb null;`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(
      `alter table "document_pages" drop column "layout_due", drop column "recognised", drop column "laid_out_by", drop column "layout_error";`,
    );
  }
}
