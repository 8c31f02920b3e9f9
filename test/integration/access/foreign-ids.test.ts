import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { createClient, eventually, sharedRun, type Json } from '../../support/api.ts';
import { manual, minimalPdf } from '../../support/documents.ts';
import { receiptImage } from '../../support/invoices.ts';
import { images, uniqueImage } from '../../support/images.ts';
import { createCallers, type Caller } from './callers.ts';
import { fillPath, readOperations, requestOf, type DocumentedOperation } from './operations.ts';

/** Ids of one tenant in every request and response of another one. */
const run = sharedRun();
const orm = createOrm(readConfig([databaseConfig], process.env));
const document: Json = await fetch(`${run.api_url}/openapi.json`).then((response) => response.json());
const operations = readOperations(document);
const SCHEMA = { type: 'object', properties: { total: { type: 'number' } } };
let owner: Caller;
let stranger: Caller;
/** The resources of the owner. */
let own: Awaited<ReturnType<typeof createResources>>;

before(async () => {
  const callers = createCallers(orm);
  owner = await callers.session('owner', { tier: 'enterprise' });
  stranger = await callers.session('stranger', { tier: 'enterprise' });
  own = await createResources(owner);
});
after(() => orm.close(true));

async function send(caller: Caller, method: string, path: string, request: RequestInit = {}) {
  const response = await fetch(path.startsWith('http') ? path : `${run.api_url}${path}`, {
    method,
    redirect: 'manual',
    signal: AbortSignal.timeout(60_000),
    ...request,
    headers: { ...(request.headers as Record<string, string>), ...(await caller.headers()) },
  });
  return { status: response.status, text: await response.text() };
}

async function createResources(caller: Caller) {
  const post = async (path: string, body: unknown): Promise<Json> => {
    const headers = { 'Content-Type': 'application/json' };
    const { status, text } = await send(caller, 'POST', path, { body: JSON.stringify(body), headers });
    assert.ok(status < 300, text);
    return JSON.parse(text);
  };
  const upload = async (
    path: string,
    field: string,
    files: { bytes: Buffer<ArrayBuffer>; filename: string }[],
  ) => {
    const form = new FormData();
    for (const { bytes, filename } of files) form.append(field, new Blob([bytes]), filename);
    const { status, text } = await send(caller, 'POST', path, { body: form });
    assert.equal(status, 201, text);
    return JSON.parse(text);
  };
  const project = await post('/projects', { name: 'Survey' });
  const schema = await post('/extraction-schemas', { name: 'Receipt', schema: SCHEMA });
  const image = (await receiptImage()).toString('base64');
  const answer = await post('/files/ask', { question: 'How long is the warranty?' });
  const extraction = await post('/extract', { image_base64: image, custom_schema_id: schema.id });
  const folder = await post('/folders', { name: 'Roofs', project_id: project.id });
  const key = await post('/api-keys', { name: 'Scanner' });
  const member = await post('/tenant/members/invite', {
    email: `${randomUUID()}@example.com`,
    role: 'viewer',
  });
  const logs = JSON.parse((await send(caller, 'GET', '/tenant/audit-logs')).text);
  const logins = JSON.parse((await send(caller, 'GET', '/user/sessions')).text);
  const file = await upload('/files/upload', 'file', [{ bytes: await uniqueImage(), filename: 'a.png' }]);
  const document = await upload('/files/upload', 'file', [{ bytes: Buffer.from(manual), filename: 'a.md' }]);
  const bundle = await upload('/files/upload', 'file', [
    { bytes: Buffer.from(minimalPdf(['One', 'Two'])), filename: 'post.pdf' },
  ]);
  const trashed = await upload('/files/upload', 'file', [{ bytes: await uniqueImage(), filename: 'b.png' }]);
  await send(caller, 'DELETE', `/files/${trashed.file_id}`);
  const session = await upload('/files/upload/batch', 'files', await images(2));
  const bytes = await uniqueImage();
  const direct = await post('/files/direct-uploads', {
    filename: 'c.png',
    content_type: 'image/png',
    size_bytes: bytes.length,
    claimed_file_hash: createHash('sha256').update(bytes).digest('hex'),
  });
  // This analysis fails without a file.
  const unfetched = await post('/images/analyze/async', { url: new URL('/e.png', run.api_url).href });
  const batch = await post('/uploads/batch-prepare', {
    files: [{ filename: 'd.png', size_bytes: bytes.length, content_type: 'image/png' }],
    intent: 'describe',
  });
  const exported = await post('/data/export', { format: 'jsonl' });
  const imported = await post('/imports', {
    source: { type: 'manifest', url: new URL('/list', run.api_url).href },
  });
  const reprocessing = await post('/reprocessing', {
    filter: { ids: [file.file_id] },
    components: ['description'],
    reason: 'a new model',
  });
  // Once the PDF is read.
  const split = await eventually(() => post(`/files/${bundle.file_id}/splits`, { ranges: ['1'] }), 60);
  const connection = await post('/connections', { refresh_token: `account-${randomUUID()}` });
  const webhook = await post('/webhooks/subscriptions', {
    url: 'https://127.0.0.1:9/closed',
    event_types: ['*'],
  });
  const delivery = await post(`/webhooks/subscriptions/${webhook.id}/test`, {});
  return {
    webhook: webhook.id as string,
    delivery: delivery.id as string,
    export: exported.export_id as string,
    import: imported.id as string,
    reprocessing: reprocessing.reprocessing_id as string,
    split: split.split_id as string,
    connection: connection.id as string,
    file: file.file_id as string,
    document: document.file_id as string,
    trashed: trashed.file_id as string,
    session: session.session_id as string,
    direct: direct.upload_id as string,
    directKey: direct.object_key as string,
    project: project.id as string,
    folder: folder.id as string,
    key: key.id as string,
    schema: schema.id as string,
    extraction: extraction.extraction_id as string,
    answer: answer.answer_id as string,
    member: member.id as string,
    auditLog: logs.items[0].id as string,
    login: logins[0].id as string,
    batch: batch.batch_id as string,
    importJob: unfetched.job_id as string,
    promised: batch.presigned_urls[0].image_id as string,
  };
}

/** The ids of the owner that a parameter of this path can have. */
function idsFor({ path }: DocumentedOperation, parameter: string): string[] {
  const files = [own.file, own.document, own.trashed];
  switch (parameter) {
    case 'file_id':
      return files;
    case 'job_id':
      return [...files, own.importJob];
    case 'image_id':
      return [...files, own.promised];
    case 'session_id':
      return path.startsWith('/user/') ? [own.login] : [own.session];
    case 'upload_id':
      return [own.direct];
    case 'batch_id':
      return [own.batch, own.session];
    case 'folder_id':
      return [own.folder];
    case 'project_id':
      return [own.project];
    case 'schema_id':
      return [own.schema];
    case 'answer_id':
      return [own.answer];
    case 'extraction_id':
      return [own.extraction];
    case 'key_id':
      return [own.key];
    case 'user_id':
      return [own.member];
    case 'log_id':
      return [own.auditLog];
    case 'export_id':
      return [own.export];
    case 'import_id':
      return [own.import];
    case 'reprocessing_id':
      return [own.reprocessing];
    case 'split_id':
      return [own.split];
    case 'connection_id':
      return [own.connection];
    case 'webhook_id':
      return [own.webhook];
    case 'delivery_id':
      return [own.delivery];
    case 'variant_type':
    // Of the installation.
    case 'provider':
      return [];
    default:
      throw new Error(`add the owner's ids for {${parameter}} of ${path} to idsFor`);
  }
}

/** Bodies and queries that name an id. */
const NAMED: Readonly<Record<string, (id: string) => { query?: string; body?: unknown }>> = {
  deleteFiles: (id) => ({ body: { file_ids: [id] } }),
  listFiles: (id) => ({ query: `?ids=${id}` }),
  askDocuments: (id) => ({ body: { question: 'How long is the warranty?', folder_id: id } }),
  searchDocuments: (id) => ({ body: { query: 'How long is the warranty?', document_ids: [id] } }),
  legacyConfirmBatch: (id) => ({
    body: { batch_id: id, confirmations: [{ object_key: own.directKey, success: true }] },
  }),
  legacyConfirmUpload: (id) => ({
    body: { object_key: own.directKey.replace(own.direct, id), size_bytes: 1 },
  }),
  confirmUploadPart: () => ({ body: { part_number: 1, etag: 'e', size_bytes: 1 } }),
  holdFile: () => ({ body: { reason: 'mine' } }),
  retryUploadPart: () => ({ body: { part_number: 1 } }),
  changeFile: (id) => ({ body: { title: 'mine', folder_id: id } }),
  reviewExtraction: () => ({ body: { item_reviews: { items: 'confirmed' } } }),
  extractData: (id) => ({ body: { file_id: id, schema: SCHEMA } }),
  changeExtractionSchema: () => ({ body: { name: 'mine' } }),
  redeliverFailedWebhooks: () => ({ body: { since: '2026-01-01T00:00:00Z' } }),
  changeApiKey: () => ({ body: { name: 'mine' } }),
  changeMemberRole: () => ({ body: { role: 'editor' } }),
  listAuditLogs: (id) => ({ query: `?user_id=${id}` }),
  listFolders: (id) => ({ query: `?parent_id=${id}` }),
  exportFiles: (id) => ({
    body: {
      format: 'google_sheets',
      columns: [{ field_key: 'id' }],
      folder_id: id,
      file_ids: [id],
      connection_id: id,
    },
  }),
  createImport: (id) => ({ body: { source: { type: 'bucket', connection_id: id }, folder_id: id } }),
  createFolder: (id) => ({ body: { name: 'mine', parent_id: id } }),
};

/** By the contract these answer 200 with the status `not_found`. */
const SAYS_NOT_FOUND = new Set(['legacyRecoverBatch']);

/** Values that differ between any two responses. */
const DIFFERS = /"request_id":"[^"]*"|"search_time_ms":\d+/g;

function withoutIds({ status, text }: { status: number; text: string }, id: string): string {
  return `${status} ${text.replaceAll(id, 'ID').replaceAll(DIFFERS, '')}`.replaceAll(
    /\d{4}-\d\d-\d\dT[\d:.]+Z/g,
    'TIME',
  );
}

test("another tenant's ids look like unknown ids, on every operation", async () => {
  const different: string[] = [];
  let pairs = 0;
  for (const operation of operations) {
    const parameter = /\{(\w+)\}/.exec(operation.path)?.[1];
    const named = NAMED[operation.id];
    const ids = parameter
      ? idsFor(operation, parameter)
      : named
        ? [own.file, own.document, own.trashed, own.batch, own.folder]
        : [];
    for (const id of ids) {
      const answers = [];
      for (const one of [id, randomUUID()]) {
        const { query = '', body } = named?.(one) ?? {};
        const path = fillPath(operation.path, parameter ? { [parameter]: one } : {}) + query;
        const answer = await send(stranger, operation.method, path, requestOf(operation, body));
        answers.push(withoutIds(answer, one));
      }
      pairs += 1;
      if (answers[0] !== answers[1]) different.push(`${operation.id}: ${answers.join(' | ')}`);
      if (parameter && !SAYS_NOT_FOUND.has(operation.id) && answers.some((answer) => /^[25]/.test(answer))) {
        different.push(`${operation.id}: ${answers[0]}`);
      }
    }
  }
  assert.deepEqual(different, []);
  console.log(`${pairs} pairs of a foreign and an absent id with equal responses`);
});

test('the first eight characters of a foreign id find nothing', async () => {
  const [foreign, absent] = await Promise.all(
    [own.file, randomUUID()].map((id) => send(stranger, 'GET', `/files/${id.slice(0, 8)}`)),
  );
  assert.ok(foreign && absent);
  assert.equal(withoutIds(foreign, own.file), withoutIds(absent, own.file));
});

test('no list of another tenant shows a resource of the owner', async () => {
  const lists = operations.filter(
    ({ method, path }) => method === 'GET' && !path.includes('{') && path !== '/ws',
  );
  const ids = Object.values(own);
  for (const { path } of lists) {
    const { text } = await send(stranger, 'GET', path.includes('quota') ? `${path}?file_count=1` : path);
    for (const id of ids) assert.ok(!text.includes(id), `${path} shows ${id}`);
  }
  const shown = await send(owner, 'GET', '/files');
  assert.ok(shown.text.includes(own.file), 'the owner sees it');
});

test('the resources of the owner are unchanged', async () => {
  const key = await createCallers(orm).key('key', { tier: 'enterprise', tenantId: owner.tenantId });
  const client = createClient(run, (await key.headers())['X-API-Key'] ?? '');
  assert.equal((await client.get(`/files/${own.file}`)).body.title, 'a.png');
  assert.equal((await client.get(`/files/direct-uploads/${own.direct}`)).body.status, 'PENDING');
  assert.equal((await client.get(`/uploads/batch/${own.batch}/status`)).body.overall_status, 'pending');
  assert.notEqual((await client.get(`/files/sessions/${own.session}/status`)).body.status, 'cancelled');
});
