import type { EntityManager } from '@mikro-orm/postgresql';
import { AuditEvent } from '../../db/entities/accounts/audit-event.ts';
import type { AuditEventType, AuditResult, AuditSeverity } from '../../domain/accounts/audit-events.ts';
import { AppError, notFound } from '../../domain/app-error.ts';
import { isUuid, joinSql, sql, sqlList, type Sql } from '../shared/sql.ts';

/** Entries are counted up to here: a count of a million would cost more than the page. */
const COUNTED = 10_000;

export interface AuditLogFilter {
  eventType?: AuditEventType | undefined;
  severity?: AuditSeverity | undefined;
  userId?: string | undefined;
  result?: AuditResult | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
}

/** An event with the present names of who did it and of what it was done to, where they are still there. */
export interface NamedAuditEvent extends AuditEvent {
  actor?: Named | undefined;
  resource?: Named | undefined;
}

interface Named {
  name: string;
  /** Of a person. */
  email: string | null;
}

export interface AuditLogPage {
  events: NamedAuditEvent[];
  /** At most 10,000. */
  totalCount: number;
  hasMore: boolean;
}

/** One page of a tenant's audit log, newest first. */
export async function listAuditEvents(
  em: EntityManager,
  tenantId: string,
  filter: AuditLogFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<AuditLogPage> {
  const rows = await em.execute<Record<string, unknown>[]>(auditPageSql(tenantId, filter, { limit, offset }));
  const [counted] = await em.execute<{ count: string }[]>(auditCountSql(tenantId, filter));
  return {
    events: await withNames(
      em,
      tenantId,
      rows.slice(0, limit).map((row) => em.map(AuditEvent, row)),
    ),
    totalCount: Number(counted?.count ?? 0),
    hasMore: rows.length > limit,
  };
}

/**
 * Entries younger than this are not followed yet: of two concurrent transactions, the one that began earlier may commit
 * later, and a reader that has passed its time would never see it.
 */
const SETTLED_MS = 10_000;
const CURSOR = /^(\d{1,15})_([0-9a-f-]{36})$/;

/** A stretch of the audit log, oldest first. */
export interface AuditLogStretch {
  events: NamedAuditEvent[];
  /** Where to go on, also when there was nothing. */
  next: string | undefined;
  hasMore: boolean;
}

/**
 * The entries after a cursor, oldest first, for systems that follow the log. Entries appear after ten seconds.
 *
 * @param tenantId of one tenant, or all of them, for operators
 * @param after the `next` of the stretch before; absent for the oldest entries
 * @throws AppError VALIDATION_FAILED for a cursor that is none
 */
export async function followAuditLog(
  em: EntityManager,
  { tenantId, after, limit }: { tenantId?: string | undefined; after?: string | undefined; limit: number },
): Promise<AuditLogStretch> {
  const [, at, id] = (after !== undefined && CURSOR.exec(after)) || [];
  if (after !== undefined && (at === undefined || !isUuid(id ?? ''))) {
    throw new AppError('VALIDATION_FAILED', '`after` is not a cursor of this log');
  }
  const rows = await em.execute<Record<string, unknown>[]>(
    sql`select * from audit_events where ${joinSql(
      [
        sql`occurred_at < ${new Date(Date.now() - SETTLED_MS).toISOString()}`,
        ...(tenantId === undefined ? [] : [sql`tenant_id = ${tenantId}`]),
        ...(at === undefined
          ? []
          : [sql`(occurred_at, id) > (${new Date(Number(at)).toISOString()}, ${id ?? ''})`]),
      ],
      'and',
    )} order by occurred_at, id limit ${limit + 1}`,
  );
  const events = rows.slice(0, limit).map((row) => em.map(AuditEvent, row));
  const last = events.at(-1);
  return {
    events: await withNamesOfEach(em, events),
    next: last ? auditCursor(last) : after,
    hasMore: rows.length > limit,
  };
}

/** Where to go on after this entry. */
export function auditCursor({ occurredAt, id }: AuditEvent): string {
  return `${occurredAt.getTime()}_${id}`;
}

/** @throws AppError NOT_FOUND */
export async function findAuditEvent(
  em: EntityManager,
  tenantId: string,
  id: string,
): Promise<NamedAuditEvent> {
  const event = isUuid(id) ? await em.findOne(AuditEvent, { id: id.toLowerCase(), tenantId }) : null;
  const [named] = event ? await withNames(em, tenantId, [event]) : [];
  if (!named) throw notFound('audit log entry');
  return named;
}

/** Where the names of each kind of resource are. People are named only while they are members. */
const NAMES_OF: Readonly<Record<string, (tenantId: string) => Sql>> = {
  user: (tenantId) =>
    sql`select id::text, coalesce(nullif(name, ''), email) as name, email from users
      join memberships on user_id = id where tenant_id = ${tenantId}`,
  api_key: (tenantId) => sql`select id, name, null as email from api_keys where tenant_id = ${tenantId}`,
  file: (tenantId) =>
    sql`select id::text, coalesce(title, filename) as name, null as email from files where tenant_id = ${tenantId}`,
  webhook: (tenantId) =>
    sql`select id::text, url as name, null as email from webhook_subscriptions where tenant_id = ${tenantId}`,
  connection: (tenantId) =>
    sql`select id::text, name, null as email from connections where tenant_id = ${tenantId}`,
  tenant: (tenantId) => sql`select id::text, name, null as email from tenants where id = ${tenantId}`,
};

/** Of the tenants of the events, in their order. */
async function withNamesOfEach(em: EntityManager, events: readonly AuditEvent[]): Promise<NamedAuditEvent[]> {
  const named: NamedAuditEvent[] = [];
  for (const [tenantId, own] of Map.groupBy(events, (event) => event.tenantId)) {
    named.push(...(await withNames(em, tenantId, own)));
  }
  const position = new Map(events.map(({ id }, index) => [id, index]));
  return named.toSorted((a, b) => (position.get(a.id) ?? 0) - (position.get(b.id) ?? 0));
}

async function withNames(
  em: EntityManager,
  tenantId: string,
  events: readonly AuditEvent[],
): Promise<NamedAuditEvent[]> {
  const wanted = events.flatMap(({ userId, apiKeyId, resourceType, resourceId }): [string, string][] => [
    ...(userId ? [['user', userId] as [string, string]] : []),
    ...(apiKeyId ? [['api_key', apiKeyId] as [string, string]] : []),
    ...(resourceType && resourceId ? [[resourceType, resourceId] as [string, string]] : []),
  ]);
  const names = new Map<string, Named>();
  for (const [type, ids] of Map.groupBy(wanted, ([kind]) => kind)) {
    const from = NAMES_OF[type]?.(tenantId);
    const known = ids.map(([, id]) => id).filter((id) => type === 'api_key' || isUuid(id));
    if (!from || known.length === 0) continue;
    const found = await em.execute<(Named & { id: string })[]>(sql`${from} and id in (${sqlList(known)})`);
    for (const { id, name, email } of found) names.set(`${type} ${id}`, { name, email });
  }
  return events.map((event) => ({
    ...event,
    actor: names.get(event.userId ? `user ${event.userId}` : `api_key ${event.apiKeyId}`),
    resource: names.get(`${event.resourceType} ${event.resourceId}`),
  }));
}

/** The rows of a page, plus one that shows whether another page follows. */
export function auditPageSql(
  tenantId: string,
  filter: AuditLogFilter,
  { limit, offset }: { limit: number; offset: number },
): Sql {
  return sql`select * from audit_events where ${among(tenantId, filter)}
    order by occurred_at desc, id desc limit ${limit + 1} offset ${offset}`;
}

export function auditCountSql(tenantId: string, filter: AuditLogFilter): Sql {
  return sql`select count(*) from (
    select from audit_events where ${among(tenantId, filter)} limit ${COUNTED}) as counted`;
}

function among(tenantId: string, { eventType, severity, userId, result, from, to }: AuditLogFilter): Sql {
  return joinSql(
    [
      sql`tenant_id = ${tenantId}`,
      ...(eventType ? [sql`event_type = ${eventType}`] : []),
      ...(severity ? [sql`severity = ${severity}`] : []),
      ...(userId ? [sql`user_id = ${userId}`] : []),
      ...(result ? [sql`result = ${result}`] : []),
      ...(from ? [sql`occurred_at >= ${from.toISOString()}`] : []),
      ...(to ? [sql`occurred_at <= ${to.toISOString()}`] : []),
    ],
    'and',
  );
}
