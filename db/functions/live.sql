-- Notifies the followers of a live channel of each committed change, whichever process wrote it. Transactions that notify
-- commit one at a time, so only those with followers do. Without the setting, a plan that was made while the table was
-- empty would later read all of it, each time.
create or replace function "notify_followers"() returns trigger language plpgsql set enable_seqscan = off as $$
declare followed text := tg_argv[0] || '.';
begin
  if tg_argv[1] = 'session_id' then followed := followed || new.session_id;
  else followed := followed || new.id; end if;
  if exists (select from live_followers where channel = followed) then
    perform pg_notify('live_channels', followed);
  end if;
  return null;
end $$;

create or replace trigger "files_notify_file" after insert or update on "files"
  for each row execute function notify_followers('file', 'id');
create or replace trigger "files_notify_batch" after insert or update on "files"
  for each row when (new.session_id is not null) execute function notify_followers('batch', 'session_id');
create or replace trigger "upload_sessions_notify_batch" after insert or update on "upload_sessions"
  for each row execute function notify_followers('batch', 'id');
create or replace trigger "upload_session_items_notify_batch" after insert or update on "upload_session_items"
  for each row execute function notify_followers('batch', 'session_id');
create or replace trigger "schema_extractions_notify_extraction" after insert or update on "schema_extractions"
  for each row execute function notify_followers('extraction', 'id');
create or replace trigger "exports_notify_export" after insert or update on "exports"
  for each row execute function notify_followers('export', 'id');
