import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createQueryClient } from './lib/query-client.ts';
import { show } from './lib/show.tsx';
import { createConsoleRouter } from './routes/router.tsx';

const queryClient = createQueryClient();
const router = createConsoleRouter(queryClient);
show(
  <QueryClientProvider client={queryClient}>
    <RouterProvider router={router} />
  </QueryClientProvider>,
);
