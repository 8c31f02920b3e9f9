import type { EntityManager } from '@mikro-orm/postgresql';
import type { ExportCursor } from '../../../domain/exports/export.ts';
import type { HistorySpec } from '../../../domain/exports/spec.ts';
import { joinSql, sql, type Sql } from '../../shared/sql.ts';
import { readRanges, type Range } from '../ranges.ts';
import { readText, type RowsText, type Table, type TextLayout } from '../table.ts';
import { historyColumns, type Phase } from './history-columns.ts';
import {
  afterDescribed,
  afterFailed,
  DESCRIBED_ORDER,
  describedPlaceSql,
  describedSql,
  FAILED_ORDER,
  failedPlaceSql,
  failedSql,
  upToDescribed,
  upToFailed,
} from './history-sql.ts';

const ORDERS: Readonly<Record<Phase, Sql>> = { described: DESCRIBED_ORDER, failed: FAILED_ORDER };
const TITLE = 'Descriptions';

/** The history of a tenant up to the time of the export request, newest first. */
export function openHistoryTable(
  em: EntityManager,
  { tenantId, createdAt }: { tenantId: string; createdAt: Date },
  spec: HistorySpec,
): Table {
  const until = createdAt.toISOString();
  const { to } = spec.filter;
  const filter = { ...spec.filter, to: to !== undefined && to < until ? to : until };
  const columns = historyColumns(spec);
  const phases: Phase[] = spec.includeFailed ? ['described', 'failed'] : ['described'];
  const among: Readonly<Record<Phase, Sql>> = {
    described: describedSql(tenantId, filter),
    failed: failedSql(tenantId, filter),
  };

  function read(
    phase: Phase,
    range: Range,
    layout: Pick<TextLayout, 'row' | 'between'>,
    { maxBytes, limit }: { maxBytes?: number; limit?: number },
  ): Promise<RowsText> {
    const values = joinSql(
      columns.map((column) => column[phase]),
      ',',
    );
    const most = limit === undefined ? sql`` : sql` limit ${limit}`;
    const select = sql`select ${values} ${among[phase]}${rangeSql(phase, range)} order by ${ORDERS[phase]}${most}`;
    return readText(em, select, layout, maxBytes);
  }

  async function findEnd(phase: Phase, within: Range, size: number) {
    const [end] = await em
      .fork()
      .execute<ExportCursor[]>(
        phase === 'described'
          ? describedPlaceSql(tenantId, filter, rangeSql(phase, within), size)
          : failedPlaceSql(tenantId, filter, rangeSql(phase, within), size),
      );
    return end && { ...(phase === 'failed' && { phase }), place: end.place };
  }

  return {
    title: TITLE,
    sheetName: TITLE,
    columns,

    async count() {
      let all = 0;
      for (const phase of phases) {
        const [row] = await em
          .fork()
          .execute<{ count: number }[]>(sql`select count(*)::int as count ${among[phase]}`);
        all += row?.count ?? 0;
      }
      return Math.min(all, spec.limit);
    },

    async *pages(layout, { after, written, pageBytes }) {
      let left = spec.limit - written;
      const current = after?.phase ?? 'described';
      for (const phase of phases.slice(phases.indexOf(current))) {
        if (left <= 0) return;
        const ranges = readRanges({
          after: phase === current ? after : undefined,
          targetBytes: pageBytes,
          // More than remain, because a filter may select few of them.
          findEnd: (within, size) => findEnd(phase, within, size),
          read: (range, maxBytes) => read(phase, range, layout, { maxBytes }),
        });
        for await (const { range, page } of ranges) {
          if (page.records >= left) {
            const last = page.records === left ? page : await read(phase, range, layout, { limit: left });
            return yield { ...last, cursor: undefined };
          }
          left -= page.records;
          yield { ...page, cursor: range.upTo };
        }
      }
    },
  };
}

/** The condition of a range. */
function rangeSql(phase: Phase, { after, upTo }: Range): Sql {
  const none = sql``;
  const [begin, end] =
    phase === 'described'
      ? [after ? afterDescribed(after) : none, upTo ? upToDescribed(upTo) : none]
      : [after ? afterFailed(after) : none, upTo ? upToFailed(upTo) : none];
  return sql`${begin}${end}`;
}
