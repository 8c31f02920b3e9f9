import type { EntityManager } from '@mikro-orm/postgresql';
import { chargesFor, extractionCharges } from '../../domain/accounts/credits.ts';
import type { ComponentName } from '../../domain/components.ts';
import { PAGES_A_CREDIT } from '../../domain/documents/page.ts';
import { MEDIA_TYPES, type MediaType } from '../../domain/media.ts';
import { totalCredits } from '../../domain/operations.ts';
import {
  componentsRunAgain,
  type ReprocessedPart,
  type ReprocessingSelection,
} from '../../domain/reprocessing.ts';
import { fileMatch, filterSql, type FileFilter, type FileMatch } from '../files/file-filter.ts';
import { orderBy } from '../files/file-order.ts';
import { resolveScope } from '../files/folders/resolve-scope.ts';
import { pageSql } from '../files/list-files.ts';
import { SearchDeadline } from '../files/search-deadline.ts';
import { sql } from '../shared/sql.ts';

const NEWEST = orderBy('created_at', 'desc');

interface Selected {
  tenantId: string;
  selection: ReprocessingSelection;
  /** Later files are left out. */
  createdAt: Date;
}

export interface ReprocessingEstimate {
  totalFiles: number;
  credits: number;
  /** Media with at least one file. */
  media: { mediaType: MediaType; files: number; credits: number; components: ComponentName[] }[];
}

/**
 * Counts the files of a selection, and the credits of a file that was processed without failure, by its medium.
 *
 * @throws AppError NOT_FOUND for its folder or project, SEARCH_TIMEOUT
 */
export async function estimateReprocessing(
  em: EntityManager,
  selected: Selected,
  parts: readonly ReprocessedPart[],
  timeoutMs: number,
): Promise<ReprocessingEstimate> {
  const criteria = await readCriteria(em, selected);
  const counted = criteria
    ? await new SearchDeadline(timeoutMs).read(em, (tx) =>
        tx.execute<{ mediaType: MediaType; files: number; morePages: number }[]>(
          sql`select media_type as "mediaType", count(*)::int as files,
              sum(greatest(0, ceil(coalesce(page_count, 0)::numeric / ${PAGES_A_CREDIT}) - 1))::int as "morePages"
            from (select id, media_type from files where ${filterSql(selected.tenantId, criteria.filter)}
              and ${criteria.match?.exact ?? sql`true`}) as f
            left join document_details on file_id = id group by media_type`,
        ),
      )
    : [];
  const media = counted.map(({ mediaType, files, morePages }) => {
    const components = componentsRunAgain(mediaType, parts);
    // Pages that could not be read are paid for.
    const charged = parts.includes('text')
      ? components
      : components.filter((name) => name !== 'text_extraction');
    const bySchema = parts.includes('extraction') && components.includes('extraction');
    const each = totalCredits([
      ...chargesFor(mediaType, charged),
      ...(bySchema ? extractionCharges('standard') : []),
    ]);
    const credits = files * each + (charged.includes('text_extraction') ? morePages : 0);
    return { mediaType, files, credits, components };
  });
  media.sort((a, b) => MEDIA_TYPES.indexOf(a.mediaType) - MEDIA_TYPES.indexOf(b.mediaType));
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
  return {
    totalFiles: sum(media.map(({ files }) => files)),
    credits: sum(media.map(({ credits }) => credits)),
    media,
  };
}

/**
 * The next files of a selection, newest first, with their places.
 *
 * @param after place of the last file that was read
 * @throws AppError NOT_FOUND for its folder or project, SEARCH_TIMEOUT
 */
export async function readSelected(
  em: EntityManager,
  selected: Selected,
  { after, limit, timeoutMs }: { after: string[] | null | undefined; limit: number; timeoutMs: number },
): Promise<{ fileId: string; place: string[] }[]> {
  const criteria = await readCriteria(em, selected);
  if (!criteria) return [];
  const { tenantId } = selected;
  const place = after ?? undefined;
  const page = pageSql(em, { ...criteria, tenantId, order: NEWEST, place, limit, offset: 0 });
  const rows = await new SearchDeadline(timeoutMs).read(em, (tx) =>
    tx.execute<{ id: string; place: string[] }[]>(page),
  );
  return rows.slice(0, limit).map(({ id, place: at }) => ({ fileId: id, place: at }));
}

/** @returns undefined for a search without words, which nothing matches */
async function readCriteria(
  em: EntityManager,
  { tenantId, selection, createdAt }: Selected,
): Promise<{ filter: FileFilter; match: FileMatch | undefined } | undefined> {
  const { fileIds, search, searchMode, from, to, folderId, includeSubfolders, projectId } = selection;
  const found = search === undefined ? undefined : fileMatch(search, searchMode);
  if (search !== undefined && !found) return undefined;
  // Words may vanish from files that were processed again: then others that are similar must not take their place.
  const match = found && { ...found, similar: undefined };
  const folders = await resolveScope(em, tenantId, { folderId, includeSubfolders, projectId });
  const last = to === undefined ? createdAt : new Date(Math.min(Date.parse(to), createdAt.getTime()));
  const { tags, mediaTypes, statuses, failureKinds, hasDescription, complianceStatus, parentFileId, held } =
    selection;
  return {
    filter: {
      deleted: false,
      ids: fileIds,
      tags,
      mediaTypes,
      statuses,
      failureKinds,
      hasDescription,
      complianceStatus,
      parentFileId,
      held,
      folders,
      from: from === undefined ? undefined : new Date(from),
      to: last,
    },
    match,
  };
}
