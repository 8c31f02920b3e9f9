import { Migration } from '@mikro-orm/migrations';

/** Notifies the followers of a live channel of each committed change, whichever process wrote it. */
export class Migration20261123033000_live_followers extends Migration {
  override name = 'Migration20261123033000_live_followers';

  override up(): void | Promise<void> {
    // Unlogged: followers list their channels again after a crash.
    this.addSql(
      `create unlogged table "live_followers" ("channel" text not null, "connection" uuid not null, "expires_at" timestamptz not null, primary key ("channel", "connection"));`,
    );
    this.addSql(`drop function tell_session cascade;`);
    // Transactions that notify commit one at a time, so only those with followers do.
    // Without the setting, a plan that was made while the table was empty would later read all of it, each time.
    this.addSql(`
      create function notify_followers() returns trigger language plpgsql set enable_seqscan = off as $$
      declare followed text := tg_argv[0] || '.';
      begin
        if tg_argv[1] = 'session_id' then followed := followed || new.session_id;
        else followed := followed || new.id; end if;
        if exists (select from live_followers where channel = followed) then
          perform pg_notify('live_channels', followed);
        end if;
        return null;
      end $$;`);
    for (const { table, kind, id = 'id', when = '' } of FOLLOWED)
      this.addSql(
        `create trigger "${table}_notify_${kind}" after insert or update on "${table}" for each row ${when} execute function notify_followers('${kind}', '${id}');`,
      );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop function notify_followers cascade;`);
    this.addSql(`drop table "live_followers";`);
    this.addSql(
      `create function tell_session() returns trigger language plpgsql as 'begin perform pg_notify(tg_argv[0], to_jsonb(new)->>tg_argv[1]); return null; end';`,
    );
    this.addSql(
      `create trigger files_tell_session after insert or update on "files" for each row when (new.session_id is not null) execute function tell_session('upload_sessions', 'session_id');`,
    );
    this.addSql(
      `create trigger upload_sessions_tell after insert or update on "upload_sessions" for each row execute function tell_session('upload_sessions', 'id');`,
    );
    this.addSql(
      `create trigger upload_session_items_tell after insert or update on "upload_session_items" for each row execute function tell_session('upload_sessions', 'session_id');`,
    );
  }
}

/** The tables that live channels show, with the kind of channel and the column of its id. */
const FOLLOWED: readonly { table: string; kind: string; id?: 'session_id'; when?: string }[] = [
  { table: 'files', kind: 'file' },
  { table: 'files', kind: 'batch', id: 'session_id', when: 'when (new.session_id is not null)' },
  { table: 'upload_sessions', kind: 'batch' },
  { table: 'upload_session_items', kind: 'batch', id: 'session_id' },
  { table: 'schema_extractions', kind: 'extraction' },
  { table: 'exports', kind: 'export' },
];
