import { Darkroom } from '../../sdk/src/index.ts';
import type { RunInfo } from '../../dev/launcher/home.ts';
import { UsageError } from '../../cli/shared/usage-error.ts';

/** A caller that sends the requests of a run. */
export interface Principal {
  name: string;
  headers: Record<string, string>;
}

/** One caller of each kind that the API distinguishes, by credential, scopes, role and tier. */
export async function createPrincipals(run: RunInfo): Promise<Principal[]> {
  const owner = await logIn(run, 'enterprise');
  const free = await logIn(run, 'free');
  const key = await createReadingKey(run, owner);
  return [
    { name: 'a key of an owner', headers: { Authorization: `Bearer ${run.api_key}` } },
    { name: 'the session of an owner', headers: owner },
    { name: 'a read-only key', headers: { 'X-API-Key': key } },
    { name: 'a session on the free tier', headers: free },
    { name: 'an anonymous caller', headers: {} },
  ];
}

async function logIn(run: RunInfo, tier: 'enterprise' | 'free'): Promise<Record<string, string>> {
  const { email, password } = run.tenants[tier];
  const { api } = new Darkroom({ baseUrl: run.api_url });
  const { response } = await api.POST('/auth/login', { body: { email, password } });
  const cookie = response.headers.getSetCookie()[0]?.split(';')[0];
  if (!cookie) throw new UsageError('The login set no cookie.');
  return { Cookie: cookie };
}

async function createReadingKey(run: RunInfo, owner: Record<string, string>): Promise<string> {
  const { api } = new Darkroom({ baseUrl: run.api_url });
  const { data } = await api.POST('/api-keys', {
    body: { name: 'fuzz', scopes: ['files.read'] },
    headers: owner,
  });
  return data.key;
}
