-- Writes an event, and its delivery to each subscription that asks for it. Without one it writes nothing. Ending a subject
-- comes last, so that its subscription gets the event that ends it. The triggers that call it are generated from
-- domain/webhooks/events.ts by db/webhook-triggers.ts.
create or replace function "write_webhook_event"(
  tenant uuid, event_type text, event_data jsonb, thing uuid, order_by_key uuid, ends_thing boolean
) returns void language plpgsql as $$ declare
  subscriptions uuid[];
  event uuid := gen_random_uuid();
  occurred_at timestamptz := clock_timestamp();
begin
  select array_agg(id) into subscriptions from (
    select id from webhook_subscriptions
    where tenant_id = tenant and subject_id is null and deleted_at is null and enabled
      and event_types && array['*', split_part(event_type, '.', 1) || '.*', event_type]
    union all
    select id from webhook_subscriptions
    where subject_id = thing and tenant_id = tenant and subject_ended_at is null and deleted_at is null and enabled
  ) as subscribed
  where exists (select from tenants where tenants.id = tenant and tenants.deleted_at is null);
  if subscriptions is null then return; end if;
  insert into webhook_events (id, tenant_id, type, data, created_at)
  values (event, tenant, event_type, jsonb_strip_nulls(event_data), occurred_at);
  insert into webhook_deliveries (id, tenant_id, subscription_id, event_id, order_key, status, created_at)
  select gen_random_uuid(), tenant, subscription, event, order_by_key, 'pending', occurred_at
  from unnest(subscriptions) as subscription;
  if ends_thing then
    update webhook_subscriptions set subject_ended_at = occurred_at where subject_id = thing and tenant_id = tenant;
  end if;
end $$;

create or replace function "webhook_deliveries_notify"() returns trigger language plpgsql as $$ begin
  perform pg_notify('webhook_deliveries', '');
  return null;
end $$;

create or replace trigger "webhook_deliveries_added" after insert on "webhook_deliveries"
  for each statement execute function webhook_deliveries_notify();
create or replace trigger "webhook_deliveries_moved" after update of "status" on "webhook_deliveries" for each row
  when (new.status not in ('sending', 'retrying')) execute function webhook_deliveries_notify();
