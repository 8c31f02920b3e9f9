import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from './root.tsx';

export const askRoutes = [
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/ask',
    // What to ask: links of a file or folder lead here with its id.
    validateSearch: (search): { document?: string[]; folder?: string } => {
      const documents = [search['document']].flat().filter((id) => typeof id === 'string');
      return {
        document: documents.length > 0 ? documents : undefined,
        folder: typeof search['folder'] === 'string' ? search['folder'] : undefined,
      };
    },
    component: lazyRouteComponent(() => import('../features/ask/ask-page.tsx'), 'AskPage'),
  }),
] as const;
