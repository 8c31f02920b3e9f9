import { listUploadSessions } from '../../../services/upload-sessions/read-upload-session.ts';
import { json } from '../../http/responses.ts';
import { route } from '../../http/route.ts';
import { presentUploadSessionItem } from '../../resources/upload-session/present.ts';
import { sessionList, sessionListQuery } from '../../resources/upload-session/schema.ts';

export const sessionListRoute = route({
  method: 'get',
  path: '/files/sessions',
  operationId: 'listUploadSessions',
  summary: 'List upload sessions',
  tag: 'Upload sessions',
  permit: 'files.read',
  query: sessionListQuery,
  responses: json(200, sessionList),
  handle: ({ em, principal, query: { upload_method: uploadMethod, ...query } }) =>
    listUploadSessions(em, principal.tenantId, { ...query, uploadMethod }),
  present({ sessions, totalCount }, { query: { limit, offset } }) {
    const items = sessions.map(({ session, counts }) => presentUploadSessionItem(session, counts));
    return { items, total_count: totalCount, limit, offset, has_more: offset + items.length < totalCount };
  },
});
