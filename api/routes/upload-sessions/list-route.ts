import { listUploadSessions } from '../../../services/upload-sessions/list-upload-sessions.ts';
import { json } from '../../http/responses.ts';
import { route } from '../../http/route.ts';
import { presentUploadSessionItem } from '../../resources/upload-session/present.ts';
import { sessionList, sessionListQuery } from '../../resources/upload-session/schema.ts';

/** Finding upload sessions. */
export const sessionListRoute = route({
  method: 'get',
  path: '/files/sessions',
  operationId: 'listUploadSessions',
  summary: 'List upload sessions',
  permission: 'VIEW',
  query: sessionListQuery,
  responses: json(200, sessionList),
  async handle({ em, principal, query }) {
    const { limit, offset } = query;
    const { sessions, totalCount } = await listUploadSessions(em, principal.tenantId, {
      status: query.status,
      uploadMethod: query.upload_method,
      limit,
      offset,
    });
    const items = sessions.map(({ session, counts }) => presentUploadSessionItem(session, counts));
    return { items, total_count: totalCount, limit, offset, has_more: offset + items.length < totalCount };
  },
});
