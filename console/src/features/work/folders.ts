import { useQuery } from '@tanstack/react-query';
import { client } from '../../lib/client.ts';

const MOST_FOLDERS = 100;

/** The first folders of the account as options of a choice: id and path. */
export function useFolders(): (readonly [id: string, path: string])[] {
  const { data } = useQuery({
    queryKey: ['folders', 'choice'],
    queryFn: async ({ signal }) => {
      const params = { query: { limit: MOST_FOLDERS } };
      return (await client.api.GET('/folders', { params, signal })).data.items;
    },
  });
  return (data ?? []).map(({ id, path }) => [id, path] as const);
}
