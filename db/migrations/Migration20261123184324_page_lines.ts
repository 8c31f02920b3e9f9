import { Migration } from '@mikro-orm/migrations';

export class Migration20261123184324_page_lines extends Migration {
  override name = 'Migration20261123184324_page_lines';

  override up(): void | Promise<void> {
    this.addSql(`alter table "tenants" add "page_layout" text not null default 'auto';`);
    this.addSql(
      `alter table "tenants" add constraint "tenants_page_layout_check" check ("page_layout" in ('rules', 'auto', 'always'));`,
    );

    this.addSql(`alter table "document_pages" add "layout_confidence" real null;`);
    this.addSql(`alter table "document_pages" rename column "recognised" to "lines";`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "document_pages" drop column "layout_confidence";`);
    this.addSql(`alter table "document_pages" rename column "lines" to "recognised";`);

    this.addSql(`alter table "tenants" drop constraint "tenants_page_layout_check";`);
    this.addSql(`alter table "tenants" drop column "page_layout";`);
  }
}
