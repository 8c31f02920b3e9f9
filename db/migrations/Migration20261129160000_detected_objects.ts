import { Migration } from '@mikro-orm/migrations';

/** The objects that a model of the service has found in an image. */
export class Migration20261129160000_detected_objects extends Migration {
  override name = 'Migration20261129160000_detected_objects';

  override up(): void | Promise<void> {
    this.addSql(`alter table "image_details" add "detected_objects" jsonb null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "image_details" drop column "detected_objects";`);
  }
}
