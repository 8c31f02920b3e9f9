import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { FileDetail } from 'darkroom-client';
import { ScanText } from 'lucide-react';
import { byCode, client } from '../../lib/client.ts';
import { formatDateTime } from '../../lib/format.ts';
import { LinkButton } from '../../ui/link-button.tsx';
import { useFilesByIds } from '../../ui/file-picker.tsx';
import { ErrorNote, MoreButton, Skeleton } from '../../ui/page.tsx';
import { StatusBadge } from '../../ui/status.tsx';
import { Cell, Table } from '../../ui/table.tsx';
import { FILE_TEXTS } from './texts.ts';

const texts = FILE_TEXTS.extractions;
const PAGE = 20;
const BUSY_MS = 5000;
/** As many as the names of can be read in one request. */
const MOST_NAMES = 100;

/** What was extracted from a file, and the way to extract more. */
export function ExtractionsTab({ file }: { file: FileDetail }) {
  return (
    <div className="flex flex-col items-start gap-4">
      <LinkButton to="/extract" search={{ file: [file.id] }} icon={ScanText}>
        {FILE_TEXTS.actions.extract}
      </LinkButton>
      <ExtractionList fileId={file.id} />
    </div>
  );
}

/** The extractions of a file, or of all files, newest first. @param fileId undefined for all */
export function ExtractionList({ fileId }: { fileId?: string }) {
  const list = useInfiniteQuery({
    queryKey: ['extractions', 'list', fileId],
    initialPageParam: 0,
    queryFn: async ({ pageParam, signal }) => {
      const query = { limit: PAGE, offset: pageParam, ...(fileId && { file_id: fileId }) };
      return (await client.api.GET('/extractions', { params: { query }, signal })).data;
    },
    getNextPageParam: ({ has_more: more, offset, items }) => (more ? offset + items.length : undefined),
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ items }) => items.some(({ status }) => status === 'processing'))
        ? BUSY_MS
        : false,
  });
  const items = list.data?.pages.flatMap((page) => page.items) ?? [];
  const ids = fileId === undefined ? items.flatMap(({ file_id: id }) => id ?? []) : [];
  const files = useFilesByIds([...new Set(ids)].slice(0, MOST_NAMES).toSorted());
  if (list.error) return <ErrorNote error={list.error} onRetry={() => void list.refetch()} />;
  if (!list.data) return <Skeleton />;
  if (items.length === 0) return <p className="text-muted">{texts.none}</p>;
  return (
    <div className="flex w-full flex-col gap-3">
      <Table caption={texts.caption} columns={texts.columns}>
        {items.map((item) => (
          <tr key={item.extraction_id}>
            <Cell className="min-w-40">
              <Link
                to="/extractions/$extractionId"
                params={{ extractionId: item.extraction_id }}
                className="block text-accent underline wrap-anywhere"
              >
                {files.data?.find(({ id }) => id === item.file_id)?.title ?? texts.open}
              </Link>
              <span className="block text-muted">
                {item.source === 'upload'
                  ? texts.upload
                  : item.schema_version === null
                    ? texts.byRequest
                    : texts.bySchema(String(item.schema_version))}
              </span>
            </Cell>
            <Cell className="min-w-32">
              <StatusBadge status={item.status} />
              {item.error && (
                <span className="mt-1 block text-muted wrap-anywhere">
                  {byCode(item.error.code, item.error.message)}
                </span>
              )}
            </Cell>
            <Cell className="whitespace-nowrap">{formatDateTime(item.created_at)}</Cell>
          </tr>
        ))}
      </Table>
      <MoreButton list={list} />
    </div>
  );
}
