import { Migration } from '@mikro-orm/migrations';

/** Details and key frames of videos. */
export class Migration20261123080000_videos extends Migration {
  override name = 'Migration20261123080000_videos';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "video_details" ("file_id" uuid not null, "duration_seconds" double precision not null, "frame_rate" double precision not null, "has_variable_frame_rate" boolean not null, "codec" varchar(255) not null, "width" int not null, "height" int not null, "rotation" int not null, "audio_tracks" jsonb not null, "scan" jsonb null, "scenes_found" boolean not null, "thumbnail_frame" int null, "blur_hash" varchar(255) null, "updated_at" timestamptz not null, primary key ("file_id"));`,
    );

    this.addSql(
      `create table "video_frames" ("file_id" uuid not null, "frame_number" int not null, "time_seconds" double precision not null, "object_key" text null, "small_key" text null, "blur_hash" varchar(255) null, "image_facts" jsonb null, "visible_text" text null, "updated_at" timestamptz not null, primary key ("file_id", "frame_number"));`,
    );

    this.addSql(
      `alter table "video_details" add constraint "video_details_file_id_foreign" foreign key ("file_id") references "files" ("id") on update cascade on delete cascade;`,
    );

    this.addSql(
      `alter table "video_frames" add constraint "video_frames_file_id_foreign" foreign key ("file_id") references "files" ("id") on delete cascade;`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "video_details" cascade;`);
    this.addSql(`drop table if exists "video_frames" cascade;`);
  }
}
