import { Migration } from '@mikro-orm/migrations';

export class Migration20261129163000_video_track extends Migration {
  override name = 'Migration20261129163000_video_track';

  override up(): void | Promise<void> {
    this.addSql(`alter table "video_details" add column "track" int not null default 0;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "video_details" drop column "track";`);
  }
}
