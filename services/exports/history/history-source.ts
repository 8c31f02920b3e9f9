import type { EntityManager } from '@mikro-orm/postgresql';
import type { ExportCursor } from '../../../domain/exports/cursor.ts';
import { EXPORT_CONTENT_TYPES, type DataExportFormat } from '../../../domain/exports/export.ts';
import type { HistorySpec } from '../../../domain/exports/spec.ts';
import { sql, type Sql } from '../../shared/sql.ts';
import { copyText, type CopiedText, type TextShape } from '../copy-text.ts';
import { CSV } from '../csv-sql.ts';
import { readRanges, type Range } from '../ranges.ts';
import { PAGE_BYTES, type TextSource } from '../text-source.ts';
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
import { csvHeader, recordSql, type Phase } from './record-sql.ts';

const LINES: Readonly<Record<DataExportFormat, TextShape>> = {
  csv: CSV,
  jsonl: { format: 'text', between: '', end: '\n' },
  json: { format: 'text', between: ',\n', end: '' },
};

const ORDERS: Readonly<Record<Phase, Sql>> = { described: DESCRIBED_ORDER, failed: FAILED_ORDER };

/**
 * The history of a tenant as text, up to the moment at which the export was asked for. Postgres writes the lines, and
 * nothing is done for the values of a record here.
 */
export function historySource(
  em: EntityManager,
  { tenantId, createdAt }: { tenantId: string; createdAt: Date },
  spec: HistorySpec,
  format: DataExportFormat,
): TextSource {
  const until = createdAt.toISOString();
  const { to } = spec.filter;
  const filter = { ...spec.filter, to: to !== undefined && to < until ? to : until };
  const lines = LINES[format];
  const phases: Phase[] = spec.includeFailed ? ['described', 'failed'] : ['described'];
  const among: Readonly<Record<Phase, Sql>> = {
    described: describedSql(tenantId, filter),
    failed: failedSql(tenantId, filter),
  };

  function read(phase: Phase, range: Range, maxBytes?: number, limit?: number): Promise<CopiedText> {
    const record = recordSql(format, spec, phase);
    const most = limit === undefined ? sql`` : sql` limit ${limit}`;
    const select = sql`select ${record} ${among[phase]}${rangeSql(phase, range)} order by ${ORDERS[phase]}${most}`;
    return copyText(em, select, lines, maxBytes);
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
    contentType: EXPORT_CONTENT_TYPES[format],
    head: { csv: csvHeader(spec), jsonl: '', json: '[\n' }[format],
    between: lines.between,
    tail: format === 'json' ? '\n]\n' : '',

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

    async *pages(after, written) {
      let left = spec.limit - written;
      const current = after?.phase ?? 'described';
      for (const phase of phases.slice(phases.indexOf(current))) {
        if (left <= 0) return;
        const ranges = readRanges({
          after: phase === current ? after : undefined,
          targetBytes: PAGE_BYTES,
          // More than are left, because a filter may select few of them.
          findEnd: (within, size) => findEnd(phase, within, size),
          read: (range, maxBytes) => read(phase, range, maxBytes),
        });
        for await (const { range, copied } of ranges) {
          if (copied.records >= left) {
            const last = copied.records === left ? copied : await read(phase, range, undefined, left);
            return yield { ...last, cursor: undefined };
          }
          left -= copied.records;
          yield { ...copied, cursor: range.upTo };
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
