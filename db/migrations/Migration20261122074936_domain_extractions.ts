import { Migration } from '@mikro-orm/migrations';

/** What was extracted from images, by domain, and what people have corrected. */
export class Migration20261122074936_domain_extractions extends Migration {
  override name = 'Migration20261122074936_domain_extractions';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "domain_extractions" ("file_id" uuid not null, "domain" varchar(255) not null, "generation" int not null, "status" text not null, "reason" text null, "result" jsonb null, "provider" varchar(255) not null, "model" varchar(255) not null, "prompt_version" varchar(255) not null, "extracted_at" timestamptz not null, "corrections" jsonb null, "corrected_at" timestamptz null, primary key ("file_id", "domain"));`,
    );

    this.addSql(
      `alter table "domain_extractions" add constraint "domain_extractions_file_id_foreign" foreign key ("file_id") references "files" ("id") on delete cascade;`,
    );
    this.addSql(
      `alter table "domain_extractions" add constraint "domain_extractions_status_check" check ("status" in ('completed', 'partial', 'not_assessed'));`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "domain_extractions" cascade;`);
  }
}
