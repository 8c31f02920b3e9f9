import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from 'darkroom-client';
import { isSignedOut } from './client.ts';
import { sessionQuery } from './session.ts';

/** The cache of all that was read from the API. The client of the API retries by itself. */
export function createQueryClient(): QueryClient {
  // An expired session shows at any request: reading the session again leads to the sign-in.
  const onError = (error: unknown) => {
    if (isSignedOut(error) && queries.getQueryData(sessionQuery.queryKey)) {
      queries.setQueryData(sessionQuery.queryKey, null);
    }
  };
  const queries = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: 15_000,
        retry: false,
        throwOnError: (error) => error instanceof TypeError && !(error instanceof ApiError),
      },
    },
  });
  return queries;
}
