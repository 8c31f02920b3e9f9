-- Derived rows of files: the number of files of each account, and the tenant of a description.

create or replace function "files_tally_added"() returns trigger language plpgsql as $$ begin
  insert into file_tallies as kept (tenant_id, live, trash)
  select tenant_id, count(*) filter (where deleted_at is null), count(deleted_at)
  from added group by tenant_id order by tenant_id
  on conflict (tenant_id) do update set live = kept.live + excluded.live, trash = kept.trash + excluded.trash;
  return null;
end $$;

create or replace trigger "files_tally_added" after insert on "files"
  referencing new table as added for each statement execute function files_tally_added();

create or replace function "files_tally_removed"() returns trigger language plpgsql as $$ begin
  update file_tallies as kept set live = kept.live - gone.live, trash = kept.trash - gone.trash
  from (
    select tenant_id, count(*) filter (where deleted_at is null) as live, count(deleted_at) as trash
    from removed group by tenant_id
  ) as gone
  where kept.tenant_id = gone.tenant_id;
  return null;
end $$;

create or replace trigger "files_tally_removed" after delete on "files"
  referencing old table as removed for each statement execute function files_tally_removed();

create or replace function "files_tally_moved"() returns trigger language plpgsql as $$ declare
  step integer := case when new.deleted_at is null then 1 else -1 end;
begin
  update file_tallies set live = live + step, trash = trash - step where tenant_id = new.tenant_id;
  return null;
end $$;

-- At commit, so that the tally is the last lock a transaction takes, whatever else it locks and in which order.
drop trigger if exists "files_tally_moved" on "files";
create constraint trigger "files_tally_moved" after update of "deleted_at" on "files"
  deferrable initially deferred for each row
  when ((old.deleted_at is null) <> (new.deleted_at is null)) execute function files_tally_moved();

-- The tenant is that of the file, which never changes: whatever writes a description need not know it.
create or replace function "file_descriptions_tenant"() returns trigger language plpgsql as $$ begin
  new.tenant_id := (select tenant_id from files where id = new.file_id);
  return new;
end $$;

create or replace trigger "file_descriptions_tenant" before insert on "file_descriptions"
  for each row execute function file_descriptions_tenant();

-- A hold keeps a file, what it came with (an e-mail), and what came with it (attachments), at any depth. The nearest one.
create or replace function "hold_of"(asked uuid) returns table ("file_id" uuid, "hold" jsonb) language sql stable as $$
  with recursive above as (
    select id, parent_file_id, hold, 0 as distance from files where id = asked
    union all
    select f.id, f.parent_file_id, f.hold, distance + 1 from above join files f on f.id = above.parent_file_id
  ), below as (
    select id, hold, 1 as distance from files where parent_file_id = asked
    union all
    select f.id, f.hold, distance + 1 from below join files f on f.parent_file_id = below.id
  )
  select family.id, family.hold
  from (select id, hold, distance from above union all select id, hold, distance from below) as family
  where family.hold is not null order by distance, id limit 1
$$;

create or replace function "file_is_held"(asked uuid) returns boolean language sql stable as $$
  select exists (select from hold_of(asked))
$$;

-- The same files of a whole account, from the few that are held.
create or replace function "held_files"(account uuid) returns setof uuid language sql stable as $$
  with recursive above as (
    select id, parent_file_id from files where tenant_id = account and hold is not null
    union
    select f.id, f.parent_file_id from above join files f on f.id = above.parent_file_id
  ), below as (
    select id from files where tenant_id = account and hold is not null
    union
    select f.id from below join files f on f.parent_file_id = below.id
  )
  select id from above union select id from below
$$;
