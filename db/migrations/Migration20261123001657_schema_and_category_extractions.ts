import { Migration } from '@mikro-orm/migrations';

/** `extractions` become `schema_extractions`, and `domain_extractions` become `category_extractions`, by renaming. */
export class Migration20261123001657_schema_and_category_extractions extends Migration {
  override name = 'Migration20261123001657_schema_and_category_extractions';

  override up(): void | Promise<void> {
    this.#rename('extractions', 'schema_extractions', SCHEMA_INDEXES, SCHEMA_CONSTRAINTS);
    this.addSql(`alter table "domain_extractions" rename column "domain" to "category";`);
    this.#rename('domain_extractions', 'category_extractions', [], CATEGORY_CONSTRAINTS);
  }

  override down(): void | Promise<void> {
    this.#rename('schema_extractions', 'extractions', SCHEMA_INDEXES, SCHEMA_CONSTRAINTS);
    this.#rename('category_extractions', 'domain_extractions', [], CATEGORY_CONSTRAINTS);
    this.addSql(`alter table "domain_extractions" rename column "category" to "domain";`);
  }

  #rename(from: string, to: string, indexes: readonly string[], constraints: readonly string[]): void {
    this.addSql(`alter table "${from}" rename to "${to}";`);
    for (const suffix of indexes) this.addSql(`alter index "${from}_${suffix}" rename to "${to}_${suffix}";`);
    for (const suffix of constraints)
      this.addSql(`alter table "${to}" rename constraint "${from}_${suffix}" to "${to}_${suffix}";`);
  }
}

const SCHEMA_INDEXES = ['engine_due', 'open', 'file', 'of_tenant'];
const SCHEMA_CONSTRAINTS = [
  'pkey',
  'tenant_id_foreign',
  'file_id_foreign',
  'source_check',
  'level_check',
  'status_check',
];
const CATEGORY_CONSTRAINTS = ['pkey', 'file_id_foreign', 'status_check'];
