import type { EntityManager } from '@mikro-orm/postgresql';
import type { FileImport } from '../../db/entities/imports/import.ts';
import type { FailureReason } from '../../domain/components.ts';
import { reasonOfSize } from '../../domain/imports.ts';
import { MAX_IMPORT_ITEMS } from '../../domain/limits.ts';
import type { Engine } from '../../temporal/client.ts';
import type { ImportRound } from '../../temporal/contract/import-files.ts';
import { nameUuid, storable } from '../shared/sql.ts';
import { addToTotals, hasBacklog } from './count-items.ts';
import { beginRound, failImport, goOn, waitForSource } from './change-import.ts';
import { findImport, isCurrent, lockImport, type ImportRun } from './find-import.ts';
import { isSourceDown, openingReason, openSource, sourceReason, type SourceDeps } from './open-source.ts';
import { CreditsShort, settleGone } from './settle-gone.ts';
import type { OpenSource, SourceFile, SourcePage } from './source.ts';

/** Items that wait to be imported before the listing goes on: some minutes of work. */
const MOST_WAITING = 10_000;
/** Pages in a row without a new key, after which a listing is one that repeats itself. */
const MOST_IDLE_PAGES = 20;
/** After so many, skipped items are added to the totals: reads of the import count what is not. */
const PAGES_TO_COUNT = 20;

/**
 * Lists a source, page by page, until enough items wait or all are listed. Idempotent: the place in the listing is
 * recorded with the items of each page.
 *
 * @throws outages of our own servers, the reason of the signal
 */
export async function listSource(
  deps: SourceDeps & { engine: Engine },
  run: ImportRun,
  { signal, onStep }: { signal: AbortSignal; onStep: (step: string) => void },
): Promise<ImportRound> {
  const { em } = deps;
  let row = await beginRound(em.fork(), run);
  let source: OpenSource | undefined;
  try {
    source = await openSource({ ...deps, em: em.fork() }, row);
    let cursor = source.isBounded ? undefined : (row.cursor ?? undefined);
    for (let pages = 1; ; pages += 1) {
      if (!isCurrent(row, run)) return 'ended';
      if (row.listed && row.gonePass < row.pass) {
        // What replaces a version comes first.
        if (await hasBacklog(em.fork(), row.id, 0)) return 'more';
        await settleGone({ em, engine: deps.engine }, run, row, { signal, onStep });
        row = await findImport(em.fork(), run);
        continue;
      }
      if (row.listed) return 'listed';
      if (!source.isBounded && (await hasBacklog(em.fork(), row.id, MOST_WAITING))) return 'more';
      const page = await source.list(cursor, signal);
      const problem = await recordPage(em.fork(), run, row, { ...page, isBounded: source.isBounded });
      if (problem) throw problem;
      if (pages % PAGES_TO_COUNT === 0) await addToTotals(em.fork(), run.importId);
      cursor = page.next;
      await goOn(em.fork(), run);
      row = await findImport(em.fork(), run);
      onStep(`${row.found} found`);
    }
  } catch (error) {
    const reason =
      error instanceof ListingRefused || error instanceof CreditsShort
        ? error.reason
        : (openingReason(error) ?? sourceReason(error));
    if (!reason) throw error;
    if (error instanceof CreditsShort || isSourceDown(error)) {
      await waitForSource(em.fork(), run, reason);
      return 'waiting';
    }
    await failImport(em.fork(), run, reason);
    return 'ended';
  } finally {
    await source?.close?.();
  }
}

interface ListedPage extends SourcePage {
  /** The place in one that is bounded is not recorded: it is listed from its beginning. */
  isBounded: true | undefined;
}

class ListingRefused extends Error {
  override readonly name = 'ListingRefused';
  readonly reason: FailureReason;

  constructor(code: string, message: string) {
    super(message);
    this.reason = { code, message };
  }
}

/**
 * Records the items of a page, each once, and where the listing continues.
 *
 * @param read the import as it was before the page was listed; if another attempt has gone on since, nothing is recorded
 * @returns why the listing cannot go on
 */
async function recordPage(
  em: EntityManager,
  run: ImportRun,
  read: FileImport,
  { files, next, isPartial, isBounded }: ListedPage,
): Promise<ListingRefused | undefined> {
  return em.transactional(async (tx) => {
    const row = await lockImport(tx, run);
    if (!isCurrent(row, run) || row.listed || row.cursor !== read.cursor) return undefined;
    const { added, touched } = await addItems(tx, row, files);
    row.found += added;
    row.seen ||= files.some(({ reason }) => !reason);
    row.partial ||= isPartial ?? false;
    row.idlePages = touched > 0 || isBounded ? 0 : row.idlePages + 1;
    row.cursor = isBounded ? null : (next ?? null);
    const isEmpty = next === undefined && !row.seen && row.pass > 1;
    row.listed = next === undefined && !isEmpty;
    row.updatedAt = new Date();
    if (isEmpty) {
      const message = 'the source lists nothing any more; what was imported is left as it is';
      return new ListingRefused('SOURCE_EMPTY', message);
    }
    if (!row.listed && row.idlePages >= MOST_IDLE_PAGES) {
      const message = `the source repeats its listing: ${MOST_IDLE_PAGES} pages had no new key`;
      return new ListingRefused('SOURCE_LIST_REPEATS', message);
    }
    if (row.found > MAX_IMPORT_ITEMS) {
      const message = `the import has found more than ${MAX_IMPORT_ITEMS} objects; import them by narrower prefixes`;
      return new ListingRefused('SOURCE_TOO_LARGE', message);
    }
    return undefined;
  });
}

/** @returns how many were new, and how many this pass had not touched */
async function addItems(
  tx: EntityManager,
  { id: importId, pass, whenGone }: FileImport,
  files: readonly SourceFile[],
): Promise<{ added: number; touched: number }> {
  if (files.length === 0) return { added: 0, touched: 0 };
  const items = files.map(
    ({ key, etag, sizeBytes, attributes = null, reason = reasonOfSize(sizeBytes) }) => ({
      id: nameUuid(`${importId}\n${etag}\n${key}`),
      key: storable(key),
      etag: storable(etag),
      size_bytes: sizeBytes,
      attributes: storable(attributes),
      reason: storable(reason),
    }),
  );
  // Of rows with one key, the first counts.
  const first = [...new Map(items.toReversed().map((item) => [item.id, item])).values()];
  const rows = await tx.execute<{ added: boolean }[]>(
    `insert into import_items (id, import_id, pass, key, etag, size_bytes, attributes, reason, status, ended_at, counted)
     select id, ?::uuid, ?::int, key, etag, size_bytes, nullif(attributes, 'null'), nullif(reason, 'null'),
       case when reason->>'code' is not null then 'skipped' else 'pending' end,
       case when reason->>'code' is not null then now() end, false
     from jsonb_to_recordset(?::jsonb)
       as item (id uuid, key text, etag text, size_bytes bigint, attributes jsonb, reason jsonb)
     on conflict (id) do update
       -- The file of one that was discarded is in the trash.
       set pass = excluded.pass, gone_at = case when ? then null else import_items.gone_at end
       where import_items.pass < excluded.pass
     returning xmax = 0 as added`,
    [importId, pass, JSON.stringify(first), whenGone === 'keep'],
  );
  return { added: rows.filter(({ added }) => added).length, touched: rows.length };
}
