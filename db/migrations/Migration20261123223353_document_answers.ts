import { Migration } from '@mikro-orm/migrations';

export class Migration20261123223353_document_answers extends Migration {
  override name = 'Migration20261123223353_document_answers';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "document_answers" ("id" uuid not null, "tenant_id" uuid not null, "question" text not null, "level" text not null, "passages" jsonb not null, "give_up_at" timestamptz not null, "status" text not null, "error" jsonb null, "answered" boolean null, "answered_by" text null, "sentences" jsonb null, "provider" varchar(255) null, "model" varchar(255) null, "prompt_version" varchar(255) null, "usage" jsonb null, "processing_ms" int null, "api_key_id" varchar(8) null, "user_id" uuid null, "engine_due_at" timestamptz null, "created_at" timestamptz not null, "updated_at" timestamptz not null, "completed_at" timestamptz null, primary key ("id"));`,
    );
    this.addSql(
      `create index "document_answers_engine_due" on "document_answers" ("engine_due_at") where "engine_due_at" is not null;`,
    );
    this.addSql(
      `create index "document_answers_open" on "document_answers" ("updated_at") where "status" = 'processing';`,
    );
    this.addSql(
      `create index "document_answers_of_tenant" on "document_answers" ("tenant_id", "created_at");`,
    );

    this.addSql(`alter table "credit_hours" drop constraint "credit_hours_operation_check";`);
    this.addSql(
      `alter table "credit_hours" add constraint "credit_hours_operation_check" check ("operation" in ('describe', 'batch_describe', 'extract', 'analyze', 'digitize', 'ask'));`,
    );

    this.addSql(`alter table "usage_events" drop constraint "usage_events_type_check";`);
    this.addSql(
      `alter table "usage_events" add constraint "usage_events_type_check" check ("type" in ('request', 'describe', 'batch_describe', 'extract', 'analyze', 'digitize', 'ask'));`,
    );

    this.addSql(`alter table "usage_rollups" drop constraint "usage_rollups_type_check";`);
    this.addSql(
      `alter table "usage_rollups" add constraint "usage_rollups_type_check" check ("type" in ('request', 'describe', 'batch_describe', 'extract', 'analyze', 'digitize', 'ask'));`,
    );

    this.addSql(
      `alter table "document_answers" add constraint "document_answers_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id");`,
    );
    this.addSql(
      `alter table "document_answers" add constraint "document_answers_level_check" check ("level" in ('quick', 'default', 'standard', 'thorough', 'critical'));`,
    );
    this.addSql(
      `alter table "document_answers" add constraint "document_answers_status_check" check ("status" in ('processing', 'completed', 'failed'));`,
    );
    this.addSql(
      `alter table "document_answers" add constraint "document_answers_answered_by_check" check ("answered_by" in ('model', 'passages'));`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "document_answers" cascade;`);

    this.addSql(`alter table "credit_hours" drop constraint "credit_hours_operation_check";`);
    this.addSql(
      `alter table "credit_hours" add constraint "credit_hours_operation_check" check ("operation" in ('describe', 'batch_describe', 'extract', 'analyze', 'digitize'));`,
    );

    this.addSql(`alter table "usage_events" drop constraint "usage_events_type_check";`);
    this.addSql(
      `alter table "usage_events" add constraint "usage_events_type_check" check ("type" in ('request', 'describe', 'batch_describe', 'extract', 'analyze', 'digitize'));`,
    );

    this.addSql(`alter table "usage_rollups" drop constraint "usage_rollups_type_check";`);
    this.addSql(
      `alter table "usage_rollups" add constraint "usage_rollups_type_check" check ("type" in ('request', 'describe', 'batch_describe', 'extract', 'analyze', 'digitize'));`,
    );
  }
}
