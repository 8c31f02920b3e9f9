import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { generateApiKey } from '../../../services/accounts/api-key.ts';
import { sharedRun, type Json } from '../../support/api.ts';
import { createCallers, type Caller } from './callers.ts';
import { OPERATION_ACCESS, type OperationAccess } from './operation-access.ts';
import { fillPath, readOperations, requestOf, type DocumentedOperation } from './operations.ts';

/** The access rule of every documented operation, for every kind of caller. */
const run = sharedRun();
const orm = createOrm(readConfig([databaseConfig], process.env));
after(() => orm.close(true));
const document: Json = await fetch(`${run.api_url}/openapi.json`).then((response) => response.json());
const operations = readOperations(document);

/** The error codes of a refused access. */
const REFUSALS = [
  'UNAUTHENTICATED',
  'INSUFFICIENT_TIER',
  'LOGIN_SESSION_REQUIRED',
  'FORBIDDEN',
  'FOREIGN_ORIGIN',
];
const LEVELS = ['login', 'VIEW', 'EDIT', 'ADMIN'];

/** The properties of a caller that decide its access. */
interface Kind {
  caller: Caller;
  credential: 'none' | 'key' | 'session';
  /** The highest level of their role. */
  level: 'VIEW' | 'EDIT' | 'ADMIN';
  paidTier: boolean;
  /** The only scope of the key. */
  scope?: string;
}

function expected(access: OperationAccess, { credential, level, paidTier, scope }: Kind): string {
  if (access.needs === 'nothing') return 'allowed';
  if (credential === 'none') return 'UNAUTHENTICATED';
  if (credential === 'key' && access.sessionOnly) return 'LOGIN_SESSION_REQUIRED';
  const scopeOfNeeds = access.needs === 'VIEW' ? 'files.read' : 'files.write';
  if (scope && scope !== (access.scope ?? scopeOfNeeds)) return 'FORBIDDEN';
  if (LEVELS.indexOf(level) < LEVELS.indexOf(access.needs)) return 'FORBIDDEN';
  if ((credential === 'key' || access.paidTier) && !paidTier) return 'INSUFFICIENT_TIER';
  return 'allowed';
}

async function outcomeOf(operation: DocumentedOperation, caller: Caller): Promise<string> {
  const request = requestOf(operation);
  const response = await fetch(`${run.api_url}${fillPath(operation.path)}`, {
    ...request,
    redirect: 'manual',
    signal: AbortSignal.timeout(60_000),
    headers: { ...(request.headers as Record<string, string>), ...(await caller.headers()) },
  });
  const text = await response.text();
  if (response.status >= 500) return `${response.status} ${text}`;
  if (response.status < 400) return 'allowed';
  const { code } = JSON.parse(text) as { code: string };
  // Login attempts are limited by address, and all callers share one address.
  const limited = code === 'RATE_LIMITED' && OPERATION_ACCESS[operation.id]?.needs !== 'nothing';
  return REFUSALS.includes(code) || limited ? code : 'allowed';
}

test('the access table has every operation, and no others', () => {
  assert.deepEqual(Object.keys(OPERATION_ACCESS).toSorted(), operations.map(({ id }) => id).toSorted());
});

test('every operation grants or refuses access to every caller as in the table', async () => {
  const callers = createCallers(orm);
  const stranger = (name: string, headers: Record<string, string>): Caller => ({
    name,
    tenantId: '',
    headers: () => Promise.resolve(headers),
  });
  const none = (caller: Caller): Kind => ({ caller, credential: 'none', level: 'ADMIN', paidTier: true });
  const key = (caller: Caller, level: Kind['level'] = 'ADMIN'): Kind => ({
    caller,
    credential: 'key',
    level,
    paidTier: true,
  });
  const session = (caller: Caller, level: Kind['level'] = 'ADMIN'): Kind => ({
    caller,
    credential: 'session',
    level,
    paidTier: true,
  });
  const past = new Date(Date.now() - 1000);
  const kinds: Kind[] = [
    none(stranger('no credentials', {})),
    none(stranger('malformed key', { 'X-API-Key': 'drk_no' })),
    none(stranger('wrong key', { Authorization: `Bearer ${generateApiKey().key}` })),
    none(stranger('wrong cookie', { Cookie: `session=${randomUUID()}` })),
    none(await callers.key('revoked key', { revokedAt: past })),
    none(await callers.key('expired key', { expiresAt: past })),
    none(await callers.session('idle session', { expired: 'idle' })),
    none(await callers.session('expired session', { expired: 'old' })),
    { ...key(await callers.key('key of the free tier', { tier: 'free' })), paidTier: false },
    { ...session(await callers.session('owner on the free tier', { tier: 'free' })), paidTier: false },
    key(await callers.key('viewer key', { role: 'viewer' }), 'VIEW'),
    key(await callers.key('editor key', { role: 'editor' }), 'EDIT'),
    key(await callers.key('owner key')),
    { ...key(await callers.key('key to read', { scopes: ['files.read'] })), scope: 'files.read' },
    { ...key(await callers.key('key for usage', { scopes: ['usage.read'] })), scope: 'usage.read' },
    session(await callers.session('viewer', { role: 'viewer' }), 'VIEW'),
    session(await callers.session('editor', { role: 'editor' }), 'EDIT'),
    session(await callers.session('admin', { role: 'admin' })),
    session(await callers.session('owner')),
  ];

  let cells = 0;
  const wrong: string[] = [];
  await Promise.all(
    kinds.map(async (kind) => {
      for (const operation of operations) {
        const access = OPERATION_ACCESS[operation.id];
        if (!access) continue;
        const want = expected(access, kind);
        const got = await outcomeOf(operation, kind.caller);
        cells += 1;
        if (got !== want) wrong.push(`${operation.id} for ${kind.caller.name}: ${got}, not ${want}`);
      }
    }),
  );
  assert.deepEqual(wrong, []);
  console.log(`${operations.length} operations × ${kinds.length} callers: ${cells} answers as in the table`);
});
