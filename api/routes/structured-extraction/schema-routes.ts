import { randomUUID } from 'node:crypto';
import { acceptSchema, validateSchema } from '../../../services/structured-extraction/accept-schema.ts';
import {
  changeSchema,
  createSchema,
  deleteSchema,
} from '../../../services/structured-extraction/saved-schemas/change-schema.ts';
import {
  findSchema,
  listSchemas,
} from '../../../services/structured-extraction/saved-schemas/find-schema.ts';
import { noContent } from '../../http/responses.ts';
import { route } from '../../http/route.ts';
import { listPage } from '../../resources/fields.ts';
import {
  changeSchemaBody,
  createSchemaBody,
  presentSchema,
  SCHEMA_BODY_BYTES,
  schemaAnswer,
  schemaList,
  schemaListQuery,
  schemaParams,
  schemaQuery,
  schemaViolations,
  validateSchemaBody,
} from '../../resources/extraction-schema.ts';

/** Saved schemas of extractions. */
export const extractionSchemaRoutes = [
  route({
    method: 'post',
    path: '/extraction-schemas/validate',
    operationId: 'validateExtractionSchema',
    summary: 'List all violations in a schema',
    tag: 'Extraction',
    permit: 'files.read',
    body: validateSchemaBody,
    maxBodyBytes: SCHEMA_BODY_BYTES,
    answers: { 200: schemaViolations },
    handle: async ({ body }) => validateSchema(body.schema),
  }),

  route({
    method: 'post',
    path: '/extraction-schemas',
    operationId: 'createExtractionSchema',
    summary: 'Save a schema',
    tag: 'Extraction',
    permit: 'extract.run',
    idempotent: true,
    body: createSchemaBody,
    maxBodyBytes: SCHEMA_BODY_BYTES,
    answers: { 201: schemaAnswer },
    errors: ['INVALID_SCHEMA', 'NAME_TAKEN', 'NOT_FOUND'],
    async handle({ ctx, em, principal, body, resourceId = randomUUID() }) {
      const saved = await createSchema(em, principal.tenantId, {
        id: resourceId,
        name: body.name,
        description: body.description || null,
        schema: acceptSchema(body.schema, '/body/schema'),
        promptHint: body.prompt_hint || null,
        status: body.status,
      });
      ctx.status = 201;
      return presentSchema(saved);
    },
  }),

  route({
    method: 'get',
    path: '/extraction-schemas',
    operationId: 'listExtractionSchemas',
    summary: 'List saved schemas by name',
    tag: 'Extraction',
    permit: 'files.read',
    query: schemaListQuery,
    answers: { 200: schemaList },
    async handle({ em, principal, query: { status, limit, offset } }) {
      const { schemas, totalCount } = await listSchemas(em, principal.tenantId, { status, limit, offset });
      const items = schemas.map(presentSchema);
      return listPage(items, totalCount, { limit, offset });
    },
  }),

  route({
    method: 'get',
    path: '/extraction-schemas/:schema_id',
    operationId: 'getExtractionSchema',
    summary: 'One saved schema, in its newest or another version',
    tag: 'Extraction',
    permit: 'files.read',
    params: schemaParams,
    query: schemaQuery,
    answers: { 200: schemaAnswer },
    errors: ['NOT_FOUND'],
    handle: async ({ em, principal, params, query }) =>
      presentSchema(await findSchema(em, principal.tenantId, params.schema_id, query.version)),
  }),

  route({
    method: 'patch',
    path: '/extraction-schemas/:schema_id',
    operationId: 'changeExtractionSchema',
    summary: 'Change a saved schema; a different schema or prompt hint becomes its next version',
    tag: 'Extraction',
    permit: 'extract.run',
    params: schemaParams,
    body: changeSchemaBody,
    maxBodyBytes: SCHEMA_BODY_BYTES,
    answers: { 200: schemaAnswer },
    errors: ['NOT_FOUND', 'INVALID_SCHEMA', 'NAME_TAKEN'],
    async handle({ em, principal, params, body }) {
      const { name, description, schema, prompt_hint: promptHint, status } = body;
      const saved = await changeSchema(em, principal.tenantId, params.schema_id, {
        name,
        description: description === undefined ? undefined : description || null,
        schema: schema === undefined ? undefined : acceptSchema(schema, '/body/schema'),
        promptHint: promptHint === undefined ? undefined : promptHint || null,
        status,
      });
      return presentSchema(saved);
    },
  }),

  route({
    method: 'delete',
    path: '/extraction-schemas/:schema_id',
    operationId: 'deleteExtractionSchema',
    summary: 'Delete a saved schema; its results stay',
    tag: 'Extraction',
    permit: 'extract.run',
    params: schemaParams,
    answers: { 204: noContent('Deleted') },
    errors: ['NOT_FOUND'],
    async handle({ ctx, em, principal, params }) {
      await deleteSchema(em, principal.tenantId, params.schema_id);
      ctx.status = 204;
    },
  }),
];
