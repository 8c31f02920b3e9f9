import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from './root.tsx';

const page = { getParentRoute: () => signedInRoute } as const;

/** The ids of one parameter, which links may give once or several times. */
function idsOf(value: unknown): string[] | undefined {
  const ids = [value].flat().filter((id) => typeof id === 'string');
  return ids.length > 0 ? ids : undefined;
}

const idOf = (value: unknown) => (typeof value === 'string' ? value : undefined);

/** Extraction by schemas, their results, and the findings of the category of an image. */
export const extractionRoutes = [
  createRoute({
    ...page,
    path: '/extract',
    validateSearch: (search): { file?: string[]; schema?: string } => ({
      file: idsOf(search['file']),
      schema: idOf(search['schema']),
    }),
    component: lazyRouteComponent(() => import('../features/extraction/extract-page.tsx'), 'ExtractPage'),
  }),
  createRoute({
    ...page,
    path: '/extract/schemas',
    component: lazyRouteComponent(
      () => import('../features/extraction/saved/schemas-page.tsx'),
      'SchemasPage',
    ),
  }),
  createRoute({
    ...page,
    path: '/extract/schemas/new',
    component: lazyRouteComponent(
      () => import('../features/extraction/saved/new-schema-page.tsx'),
      'NewSchemaPage',
    ),
  }),
  createRoute({
    ...page,
    path: '/extract/schemas/$schemaId',
    validateSearch: (search): { version?: number } => ({
      version: typeof search['version'] === 'number' ? search['version'] : undefined,
    }),
    component: lazyRouteComponent(() => import('../features/extraction/saved/schema-page.tsx'), 'SchemaPage'),
  }),
  createRoute({
    ...page,
    path: '/extractions/$extractionId',
    component: lazyRouteComponent(
      () => import('../features/extraction/result/extraction-page.tsx'),
      'ExtractionPage',
    ),
  }),
  createRoute({
    ...page,
    path: '/files/$fileId/findings',
    validateSearch: (search): { domain?: string } => ({ domain: idOf(search['domain']) }),
    component: lazyRouteComponent(
      () => import('../features/extraction/findings/findings-page.tsx'),
      'FindingsPage',
    ),
  }),
] as const;
