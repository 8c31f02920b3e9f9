import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { s3Config } from '../../../adapters/object-store/config.ts';
import { createS3ObjectStore } from '../../../adapters/object-store/s3-object-store.ts';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { Invitation } from '../../../db/entities/accounts/invitation.ts';
import { Tenant } from '../../../db/entities/accounts/tenant.ts';
import { User } from '../../../db/entities/accounts/user.ts';
import { DeletionReceipt } from '../../../db/entities/trash/deletion-receipt.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { issueToken } from '../../../services/accounts/account-tokens.ts';
import { eventually, sharedRun, type Json } from '../../support/api.ts';
import { answerOf, bodyOf, generalise, parametersOf, type Example } from '../../support/examples.ts';
import { generateClient, type GeneratedClient } from '../../support/generated-client.ts';
import { createOpenApiContract } from '../../support/openapi-contract.ts';
import { logIn } from '../../support/login.ts';
import { mailTo } from '../../support/mails.ts';
import { createOwnTenant } from '../../support/own-tenant.ts';
import { minimalPdf } from '../../support/documents.ts';
import { uniqueImage } from '../../support/images.ts';
import { article } from '../../support/web-pages.ts';
import { startWebSite, type WebSite } from '../../support/web-site.ts';

/**
 * A client in TypeScript, generated from the document that this API serves, and a program that uses each operation with
 * it. Its requests and responses are the examples of the document; `UPDATE_EXAMPLES=1` writes them.
 */
const EXAMPLES = new URL('../../../api/openapi/examples.json', import.meta.url);
const PROGRAM = 'test/client/use-every-operation.ts';

const run = sharedRun();
const orm = createOrm(readConfig([databaseConfig], process.env));
const document: Json = await fetch(`${run.api_url}/openapi.json`).then((response) => response.json());
const contract = createOpenApiContract(document);
const documented = Object.values<Json>(document.paths)
  .flatMap((methods) => Object.values<Json>(methods))
  .map(({ operationId }) => operationId as string);
let generated: GeneratedClient;
let site: WebSite;

before(async () => {
  generated = await generateClient(document, PROGRAM);
  site = await startWebSite('127.0.0.1');
  site.serve('/keeper', article({ title: 'The keeper' }));
  site.serve('/lamps', article({ title: 'Lamps' }));
});
after(async () => {
  generated.remove();
  await site.stop();
  await orm.close(true);
});

test('a program that uses each operation compiles with a generated client', () => {
  assert.equal(generated.compilerErrors(), '');
});

test('the program runs, its responses are as documented, and the examples equal its requests and responses', async () => {
  const tenant = await createOwnTenant(orm, run);
  const examples = new Map<string, Example>();
  const breaches: string[] = [];

  /** Like fetch, but records the request and the response. */
  async function recordingFetch(url: string, options: RequestInit): Promise<Response> {
    const response = await admitted(() => fetch(url, { ...options, redirect: 'manual' }));
    const { pathname, searchParams } = new URL(url);
    const path = pathname.replace('/api/v2', '');
    const method = options.method ?? 'GET';
    const operation = contract.operationOf(method, path);
    assert.ok(operation, `${method} ${path} is not an operation`);
    const answer = await answerOf(response.clone());
    const answered = { method, path, status: response.status, headers: [...response.headers.keys()] };
    for (const breach of contract.breachesOf({ ...answered, body: answer })) {
      breaches.push(`${operation.id}: ${breach}`);
    }
    const parameters = parametersOf(operation.template, path, searchParams);
    const body = bodyOf(options.body);
    examples.set(
      operation.id,
      generalise({
        ...(Object.keys(parameters).length > 0 && { parameters }),
        ...(body !== undefined && { body }),
        ...(response.ok && answer !== undefined && { answer }),
      }),
    );
    const location = response.headers.get('location');
    return location === null ? response : fetch(location);
  }

  const jar = new Map<string, string>();
  /** The same with cookies in place of a key. */
  async function browserFetch(url: string, options: RequestInit): Promise<Response> {
    const Cookie = [...jar].map((pair) => pair.join('=')).join('; ');
    const headers = { ...(options.headers as Record<string, string>), ...(Cookie && { Cookie }) };
    const response = await recordingFetch(url, { ...options, headers });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      jar.set(name, value);
    }
    return response;
  }

  const { Api } = await generated.loadClient();
  const { useEveryOperation } = await generated.loadProgram();
  const api = new Api({
    baseUrl: run.api_url,
    customFetch: recordingFetch,
    baseApiParams: { headers: { Authorization: `Bearer ${tenant.apiKey}` } },
  });
  const owner = await logIn(orm, run, { tenantId: tenant.tenantId });
  const settings = new Api({
    baseUrl: run.api_url,
    customFetch: recordingFetch,
    baseApiParams: { headers: { Cookie: owner.cookie } },
  });
  const browser = new Api({ baseUrl: run.api_url, customFetch: browserFetch });
  await useEveryOperation({
    api,
    settings,
    browser,
    bucket: await unusedBucket(),
    async consent(url: string) {
      const { headers } = await fetch(url, { redirect: 'manual' });
      const { searchParams } = new URL(headers.get('location') ?? '');
      return { state: searchParams.get('state') ?? '', code: searchParams.get('code') ?? '' };
    },
    ...surroundings(),
    ...users(),
    removedFileId: await removedFile(tenant.tenantId),
    pageUrl: (path: string) => site.url(path),
  });

  assert.deepEqual(breaches, []);
  assert.deepEqual([...examples.keys()].toSorted(), documented.toSorted());
  const recorded = Object.fromEntries(documented.map((id) => [id, examples.get(id)]));
  if (process.env['UPDATE_EXAMPLES']) {
    writeFileSync(EXAMPLES, `${JSON.stringify(recorded, null, 2)}\n`);
    return;
  }
  const committed: Record<string, Example> = JSON.parse(readFileSync(EXAMPLES, 'utf8'));
  assert.deepEqual(requests(recorded), requests(committed));
});

test('the examples of the document fit its schemas', () => {
  const examples: Record<string, Example> = JSON.parse(readFileSync(EXAMPLES, 'utf8'));
  for (const [path, methods] of Object.entries<Json>(document.paths)) {
    for (const [method, { operationId, responses }] of Object.entries<Json>(methods)) {
      const { answer } = examples[operationId] ?? {};
      const status = Number(Object.keys(responses)[0]);
      const observed = { method: method.toUpperCase(), path, status, headers: [], body: answer };
      if (answer) assert.deepEqual(contract.breachesOf(observed), [], operationId);
    }
  }
});

/** Retries while other tests use up the telemetry events that this address may send in a minute. */
async function admitted(ask: () => Promise<Response>): Promise<Response> {
  const response = await ask();
  if (response.status !== 429) return response;
  const { code } = (await response.clone().json()) as { code: string };
  if (code !== 'RATE_LIMITED') return response;
  await sleep(Number(response.headers.get('retry-after')) * 1000);
  return admitted(ask);
}

/** Answers differ from run to run, requests do not. */
const requests = (examples: Record<string, Example | undefined>) =>
  Object.fromEntries(
    Object.entries(examples).map(([id, example]) => [id, { ...example, answer: undefined }]),
  );

/** Changes of users that no operation of the API makes. */
function users() {
  const find = (email: string) => orm.em.fork().findOneOrFail(User, { email });
  return {
    tokenFor: async (address: string, subject: RegExp) => (await mailTo(address, subject)).token,
    async invitationFor(email: string) {
      const { id: userId } = await find(email);
      const em = orm.em.fork();
      const [tenantId, createdAt] = [randomUUID(), new Date()];
      await em.insert(Tenant, { id: tenantId, name: 'Agency', tier: 'free', createdAt });
      await em.insert(Invitation, { tenantId, userId, role: 'viewer', createdAt });
      return issueToken(em, { kind: 'invitation', userId, tenantId, email });
    },
    async forgetPassword(email: string) {
      await orm.em.fork().nativeUpdate(User, { email }, { passwordHash: null });
    },
  };
}

function surroundings() {
  return {
    async image(name: string) {
      const bytes = await uniqueImage();
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      return { file: new File([bytes], name, { type: 'image/jpeg' }), sha256 };
    },
    pdf: (name: string) => new File([minimalPdf(['Page 1 of 2', 'Page 2 of 2', 'Page 1 of 1'])], name),
    brokenImage: (name: string) =>
      new File([new Uint8Array([0xff, 0xd8, 0xff, 0xe0]), randomUUID().repeat(40)], name),
    async put(url: string, body: Blob, headers: Record<string, string> = {}) {
      const response = await fetch(url, { method: 'PUT', body, headers });
      assert.equal(response.status, 200, await response.text());
      return (response.headers.get('etag') ?? '').replaceAll('"', '');
    },
    until: <T>(ask: () => Promise<{ data: T }>, fits: (answer: T) => boolean) =>
      eventually(async () => {
        const { data } = await ask().catch((refused: Json) => {
          throw new Error(JSON.stringify(refused.error ?? String(refused)));
        });
        assert.ok(fits(data), JSON.stringify(data).slice(0, 300));
        return data;
      }, 60),
  };
}

/** Another bucket of this stack's store. */
async function unusedBucket() {
  const config = readConfig([s3Config], process.env);
  const bucket = 'harbour-pictures';
  await createS3ObjectStore({ ...config, S3_BUCKET: bucket }).ensureBucket();
  return {
    access_key_id: config.S3_ACCESS_KEY_ID,
    secret_access_key: config.S3_SECRET_ACCESS_KEY,
    bucket_name: bucket,
    region: config.S3_REGION,
    endpoint: config.S3_ENDPOINT,
  };
}

/** A purged file; the API purges after 30 days only. */
async function removedFile(tenantId: string): Promise<string> {
  const fileId = randomUUID();
  const purgedAt = new Date();
  const deletedAt = new Date(purgedAt.getTime() - 30 * 86_400_000);
  const sha256 = createHash('sha256').update(fileId).digest('hex');
  const removed = { rows: 9, objects: 5, vectors: 1 };
  const receipt = { fileId, tenantId, filename: 'old.jpg', sha256, deletedAt, purgedAt, ...removed };
  await orm.em.fork().insert(DeletionReceipt, receipt);
  return fileId;
}
