import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { availableParallelism, loadavg } from 'node:os';
import { promisify } from 'node:util';
import type { EntityManager } from '@mikro-orm/postgresql';
import { s3Config } from '../../adapters/object-store/config.ts';
import { createS3ObjectStore } from '../../adapters/object-store/s3-object-store.ts';
import { databaseConfig } from '../../db/config.ts';
import { createOrm } from '../../db/create-orm.ts';
import { Tenant } from '../../db/entities/accounts/tenant.ts';
import { FILE_COLUMNS } from '../../domain/exports/file-columns.ts';
import { HISTORY_FIELDS } from '../../domain/exports/history.ts';
import type { FilesSpec, HistorySpec } from '../../domain/exports/spec.ts';
import { joinSql, sql, type Sql } from '../../services/shared/sql.ts';
import type { Stack } from '../../dev/launcher/stack.ts';
import type { BenchContext } from './context.ts';
import { copyToStore } from './copy-to-store.ts';
import { emptyBucket } from './bench-stack.ts';
import { seedFiles } from './seed-files.ts';
import { goalResult, interleave, milliseconds, ratios, spread } from './statistics.ts';
import type { ExportFigures, ExportOrder } from './write-exports.ts';

const runProgram = promisify(execFile);
const ROWS = 100_000;
const PROGRAM = fileURLToPath(new URL('write-exports.ts', import.meta.url));

const PEERS = { history: 'COPY TO of the history', files: 'COPY TO of the files' } as const;

const HISTORY: HistorySpec = {
  filter: {},
  fields: [...HISTORY_FIELDS],
  includeMetadata: true,
  includeFailed: false,
  limit: ROWS,
};
/** Columns of a photographer's table. */
const FILES: FilesSpec = {
  columns: FILE_COLUMNS.filter(({ group }) =>
    ['basic', 'dates', 'descriptions', 'tags', 'status'].includes(group),
  ),
  includeSubfolders: false,
  flattenTags: true,
  sheetName: 'Files',
  title: 'Files',
};

/**
 * L2: an export of 100,000 rows, from its record to its file in the object store, compared with one `COPY … TO STDOUT`
 * of the same rows, columns, joins and order as CSV, which this process writes into the same store. Exports run in a separate
 * process, after a small export as warm-up; their memory is the peak resident set minus the one after the warm-up. Both
 * use the same machine and server, with up to two parallel workers for the peer.
 */
export async function run({ rounds, stack: startStack, progress }: BenchContext): Promise<string[]> {
  const stack = await startStack();
  const orm = createOrm(databaseConfig.parse(stack.env), 'none');
  const objects = createS3ObjectStore(s3Config.parse(stack.env));
  try {
    const em = orm.em.fork();
    const tenantId = randomUUID();
    await fill(em, tenantId, (done) => progress(`${done} files written`));
    const [version] = await em.execute<{ server_version: string }[]>('show server_version');
    const ours = (order: Omit<ExportOrder, 'tenantId'>) => async () => {
      const figures = await write(stack, { tenantId, ...order });
      if (figures.records !== ROWS) throw new Error(`${figures.records} records were written, not ${ROWS}`);
      await emptyBucket(objects);
      return figures;
    };
    const peer = (select: Sql) => async () => {
      let records = 0;
      const spent = await milliseconds(async () => void (records = await copyToStore(em, select, objects)));
      await emptyBucket(objects);
      if (records !== ROWS) throw new Error(`${records} records were copied, not ${ROWS}`);
      return { records, growth: 0, milliseconds: spent };
    };
    const figures = await interleave<string, ExportFigures>(
      rounds,
      {
        [PEERS.history]: peer(historySql(tenantId)),
        csv: ours({ kind: 'descriptions', format: 'csv', spec: HISTORY }),
        jsonl: ours({ kind: 'descriptions', format: 'jsonl', spec: HISTORY }),
        [PEERS.files]: peer(filesSql(tenantId)),
        'files as csv': ours({ kind: 'files', format: 'csv', spec: FILES }),
        'files as xlsx': ours({ kind: 'files', format: 'xlsx', spec: FILES }),
      },
      (turn) => progress(turn),
    );
    const rate = (name: string) =>
      (figures[name] ?? []).map((one) => one.records / (one.milliseconds / 1000));
    const growth = (name: string) => (figures[name] ?? []).map((one) => one.growth);
    const lines: string[] = [];
    const peers: string[] = Object.values(PEERS);
    for (const name of Object.keys(figures).filter((one) => !peers.includes(one))) {
      const ratio = ratios(rate(name), rate(name.startsWith('files') ? PEERS.files : PEERS.history));
      lines.push(
        `L2 ${ROWS} rows, ${name}: rows/s / COPY TO of Postgres ${version?.server_version} into the same store: ${spread(ratio, 2)}, ${goalResult(ratio, { least: 0.6 })}; ${spread(rate(name))} rows/s`,
        `L2 ${ROWS} rows, ${name}: memory growth of the process: ${spread(growth(name))} MiB, ${goalResult(growth(name), { most: 64 })}`,
      );
    }
    for (const name of peers) lines.push(`L2 … ${name}: ${spread(rate(name))} rows/s`);
    lines.push(
      `L2 … load average of the machine: ${loadavg()[1]?.toFixed(1)} on ${availableParallelism()} processors`,
    );
    return lines;
  } finally {
    await orm.close(true);
  }
}

async function write(stack: Stack, order: ExportOrder): Promise<ExportFigures> {
  const { stdout } = await runProgram(process.execPath, [PROGRAM, JSON.stringify(order)], {
    env: { ...process.env, ...stack.env },
  });
  return JSON.parse(stdout) as ExportFigures;
}

async function fill(em: EntityManager, tenantId: string, onBatch: (done: number) => void): Promise<void> {
  await em.insert(Tenant, { id: tenantId, name: 'bench', tier: 'enterprise', createdAt: new Date() });
  await seedFiles(em, tenantId, ROWS, onBatch);
  await em.execute(
    `insert into file_descriptions (file_id, generation, provider, model, prompt_version, description, tags, input_tokens,
       output_tokens, created_at)
     select id, 1, 'local', 'measurements-v1', 'none', coalesce(upload_description, '') || repeat(' It has vivid colours.', 12),
       tags, 0, 0, created_at from files where tenant_id = ?`,
    [tenantId],
  );
  await em.execute('vacuum analyze files');
  await em.execute('vacuum analyze file_descriptions');
}

/** Handwritten SQL for the columns of the history, in the same order. */
function historySql(tenantId: string): Sql {
  return sql`select d.id, 'description', case when f.session_id is null then 'single' else 'batch' end,
      coalesce(f.session_id, f.id), d.created_at, f.id, '/api/v2/files/' || f.id || '/download', d.description, null, null,
      'completed', null, f.filename, f.title, d.tags, f.media_type, f.content_type, f.content_category, d.provider, d.model,
      d.prompt_version, d.generation, d.input_tokens, d.output_tokens
    from file_descriptions d join files f on f.id = d.file_id
    where d.tenant_id = ${tenantId} and f.deleted_at is null and d.created_at <= now()
    order by d.created_at desc, d.file_id desc, d.generation desc`;
}

/** Handwritten SQL for the columns of the files, in the same order. */
function filesSql(tenantId: string): Sql {
  const statuses = 'variant description text_extraction digitization video_analysis crawl'.split(' ');
  return sql`select f.id, coalesce(f.title, f.filename), f.filename, f.media_type, f.content_type, f.format, f.size_bytes,
      f.content_category, f.folder_id, null, f.sha256, f.created_at, f.updated_at, f.content_created_at, f.described_at,
      coalesce(f.user_description, f.upload_description), f.upload_description, f.user_description, latest.provider,
      latest.model, f.tags, cardinality(f.tags), f.primary_status, ${joinSql(
        statuses.map((name): Sql => sql`f.components -> ${name} ->> 'status'`),
        ',',
      )}, f.compliance_status, f.components -> 'description' -> 'error' ->> 'message'
    from files f left join image_details i on i.file_id = f.id left join document_details d on d.file_id = f.id
      left join lateral (select provider, model from file_descriptions where file_id = f.id order by generation desc limit 1)
        latest on true
    where f.tenant_id = ${tenantId} and f.deleted_at is null and f.created_at <= now()
    order by f.created_at desc, f.id desc`;
}
