import { queryOptions, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import type { Data } from 'darkroom-client';
import { client, isSignedOut } from './client.ts';

export type Session = Data<'/auth/session', 'get'>;
export type Role = Session['tenant']['role'];

/** The login session of this browser; null if nobody is signed in. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  staleTime: 60_000,
  queryFn: async ({ signal }): Promise<Session | null> => {
    try {
      return (await client.api.GET('/auth/session', { signal })).data;
    } catch (error) {
      if (isSignedOut(error)) return null;
      throw error;
    }
  },
});

/** The session of a page behind the sign-in. @throws Error if nobody is signed in */
export function useSession(): Session {
  const { data } = useSuspenseQuery(sessionQuery);
  if (data === null) throw new Error('this page is behind the sign-in');
  return data;
}

const RANK = { viewer: 0, editor: 1, admin: 2, owner: 3 } as const satisfies Record<Role, number>;

/**
 * Whether the role of the user suffices. The API decides; this only leaves out what it would refuse.
 *
 * @param least the lowest role that may do it
 */
export function useMay(least: Role): boolean {
  const { data } = useQuery(sessionQuery);
  return data != null && RANK[data.tenant.role] >= RANK[least];
}

/** The document of the sign-in. @param next the path to come back to */
export const signInAddress = (next: string): string => `/sign-in?${new URLSearchParams({ next }).toString()}`;
