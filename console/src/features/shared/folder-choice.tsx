import { useInfiniteQuery } from '@tanstack/react-query';
import { client } from '../../lib/client.ts';
import { SelectInput } from '../../ui/field.tsx';
import { ErrorNote, MoreButton } from '../../ui/page.tsx';
import { TEXTS } from '../../texts.ts';

interface Folder {
  id: string;
  path: string;
}

/**
 * A choice among the folders of the account, of which more are listed on demand.
 *
 * @param none  the text of the option that is no folder
 * @param value the id of the chosen folder, or an empty string
 * @param given a folder that can be chosen before it is listed
 */
export function FolderChoice({
  label,
  none,
  value,
  given,
  onChoose,
}: {
  label: string;
  none: string;
  value: string;
  given?: Folder | undefined;
  onChoose: (folder: Folder | undefined) => void;
}) {
  const list = useInfiniteQuery({
    queryKey: ['folders', 'all'],
    initialPageParam: 0,
    queryFn: async ({ pageParam: offset, signal }) =>
      (await client.api.GET('/folders', { params: { query: { offset, limit: 100 } }, signal })).data,
    getNextPageParam: ({ has_more: hasMore, offset, items }) => (hasMore ? offset + items.length : undefined),
  });
  const listed = list.data?.pages.flatMap(({ items }) => items) ?? [];
  const folders: Folder[] = !given || listed.some(({ id }) => id === given.id) ? listed : [...listed, given];
  if (list.error) return <ErrorNote error={list.error} onRetry={() => void list.refetch()} />;
  return (
    <>
      <div className="min-w-52 grow">
        <SelectInput
          label={label}
          value={value}
          options={[['', none], ...folders.map(({ id, path }) => [id, path] as const)]}
          onChange={({ target }) => onChoose(folders.find(({ id }) => id === target.value))}
        />
      </div>
      <MoreButton list={list} label={TEXTS.common.moreFolders} />
    </>
  );
}
