import { searchChunks } from '../../../services/documents/search-chunks.ts';
import { clientGone } from '../../http/client-gone.ts';
import { json } from '../../http/responses.ts';
import { route } from '../../http/route.ts';
import { presentHit } from '../../resources/document/present.ts';
import { searchAnswer, searchBody } from '../../resources/document/schema.ts';

export const documentSearchRoute = route({
  method: 'post',
  path: '/files/search',
  operationId: 'searchDocuments',
  summary: 'Search documents for passages that answer a question',
  tag: 'Documents',
  permit: 'files.read',
  body: searchBody,
  responses: json(200, searchAnswer),
  errors: ['SEARCH_TIMEOUT'],
  async handle({ ctx, em, deps, principal, body, log }) {
    const began = performance.now();
    const { textEmbedding, chunkVectors } = deps;
    const onDegraded = (error: unknown) => log.warn({ err: error }, 'documents are searched by words alone');
    const searched = { em, textEmbedding, chunkVectors, onDegraded };
    const { tenantId } = principal;
    const { hits, rankedBy } = await deps.searches.run(tenantId, clientGone(ctx.res), () =>
      searchChunks(searched, tenantId, {
        query: body.query,
        limit: body.limit,
        threshold: body.similarity_threshold,
        documentIds: body.document_ids,
        timeoutMs: deps.searchTimeoutMs,
      }),
    );
    return {
      query: body.query,
      items: hits.map(presentHit),
      total_count: hits.length,
      ranked_by: rankedBy,
      search_time_ms: Math.round(performance.now() - began),
    };
  },
});
