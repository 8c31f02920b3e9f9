import type { Invariant, AuditDeps } from './invariant.ts';

export const tenants: Invariant = {
  id: 'I8',
  title: 'no object of a file is stored under another tenant',
  async *check({ em }) {
    const astray = await em().execute<{ object_key: string; tenant_id: string }[]>(
      `select object_key, tenant_id from files where object_key not like 'tenants/' || tenant_id || '/%'
       union all
       select file_variants.object_key, tenant_id from file_variants join files on files.id = file_id
       where file_variants.object_key not like 'tenants/' || tenant_id || '/%'
       union all
       select page_images.object_key, tenant_id from page_images join files on files.id = file_id
       where page_images.object_key not like 'tenants/' || tenant_id || '/%'
       union all
       select picture.key, tenant_id from video_frames join files on files.id = file_id,
         unnest(array[video_frames.object_key, small_key]) as picture (key)
       where picture.key not like 'tenants/' || tenant_id || '/%'
       union all
       select screenshot_key, tenant_id from link_details
       where screenshot_key not like 'tenants/' || tenant_id || '/%'`,
    );
    for (const { object_key: key, tenant_id: tenant } of astray) {
      yield `object ${key} belongs to a file of tenant ${tenant}`;
    }
  },
};

export const credits = {
  id: 'I6',
  title: 'reserved minus refunded credits are the balance, and no ended file has an open reservation',
  async *check({ em }: Pick<AuditDeps, 'em'>) {
    const wrong = await em().execute<{ tenant_id: string; month: string; used: number; ledger: number }[]>(
      `select balance.tenant_id, balance.month::text, balance.used, coalesce(ledger.amount, 0)::int as ledger
       from credit_balances balance left join (
         select tenant_id, month,
           sum(case kind when 'reserve' then amount when 'refund' then -amount else 0 end) as amount
         from credit_entries group by tenant_id, month) ledger using (tenant_id, month)
       where balance.used <> coalesce(ledger.amount, 0)`,
    );
    for (const { tenant_id: tenant, month, used, ledger } of wrong) {
      yield `tenant ${tenant} has used ${used} credits in ${month}, its ledger says ${ledger}`;
    }
    const unequal = await em().execute<{ tenant_id: string; month: string; used: number; hours: number }[]>(
      `select balance.tenant_id, balance.month::text, balance.used, coalesce(hours.credits, 0)::int as hours
       from credit_balances balance left join (
         select tenant_id, date_trunc('month', starts_at at time zone 'UTC')::date as month, sum(credits) as credits
         from credit_hours group by 1, 2) hours using (tenant_id, month)
       where balance.used <> coalesce(hours.credits, 0)`,
    );
    for (const { tenant_id: tenant, month, used, hours } of unequal) {
      yield `tenant ${tenant} has used ${used} credits in ${month}, the hours of it add up to ${hours}`;
    }
    const held = await em().execute<{ id: string }[]>(
      `select files.id from files join credit_entries opened
         on opened.reservation_id in ('file/' || files.id || '/' || files.generation,
           'file/' || files.id || '/' || files.generation || '/pages',
           'file/' || files.id || '/' || files.generation || '/schema') and not opened.closes
       where files.primary_status not in ('pending', 'processing') and not exists (
         select from credit_entries closed where closed.reservation_id = opened.reservation_id and closed.closes)`,
    );
    const kept = await em().execute<{ id: string }[]>(
      `select schema_extractions.id from schema_extractions join credit_entries opened
         on opened.reservation_id = 'extraction/' || schema_extractions.id and not opened.closes
       where schema_extractions.status <> 'processing' and not exists (
         select from credit_entries closed where closed.reservation_id = opened.reservation_id and closed.closes)`,
    );
    const unanswered = await em().execute<{ id: string }[]>(
      `select answer.id from document_answers answer join credit_entries opened
         on opened.reservation_id = 'answer/' || answer.id and not opened.closes
       where answer.status <> 'processing' and not exists (
         select from credit_entries closed where closed.reservation_id = opened.reservation_id and closed.closes)`,
    );
    for (const { id } of unanswered) yield `answer ${id} has ended and its reservation is still open`;
    for (const { id } of kept) yield `extraction ${id} has ended and its reservation is still open`;
    for (const { id } of held) yield `file ${id} has ended and its reservation is still open`;
  },
} satisfies Invariant;
