import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configuredProviders, oidcConfig } from '../../../adapters/oidc/config.ts';
import { ConfigError, readConfig } from '../../../domain/schemas/read-config.ts';

const provider = {
  id: 'staff',
  name: 'Staff',
  issuer: 'https://login.example.com',
  client_id: 'darkroom',
  client_secret: 'hush-hush',
};
const tenant = '3f0c7c1e-0000-4000-8000-000000000001';
const read = (list: unknown, env: Record<string, string> = {}) =>
  readConfig([oidcConfig], {
    OIDC_PROVIDERS: typeof list === 'string' ? list : JSON.stringify(list),
    PUBLIC_BASE_URL: 'https://darkroom.example.com',
    ...env,
  });
function problems(...input: Parameters<typeof read>): string {
  try {
    read(...input);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    assert.ok(!error.message.includes('hush'), 'no secret in messages');
    return error.problems.join('\n');
  }
  return assert.fail('accepted');
}

test('a list of one provider needs no domains, and each provider has its own address of return', () => {
  const [only] = configuredProviders(
    read([{ ...provider, grants: [{ tenant_id: tenant, role: 'viewer' }] }]),
  );
  assert.deepEqual(
    [only?.callbackPath, only?.groups_claim, only?.scope],
    ['/auth/oidc/callback/staff', 'groups', 'openid email profile'],
  );
});

test('mistakes in the list of providers are named with their place, and without its text', () => {
  assert.match(problems('[{"client_secret": "hush-hush",}]'), /^OIDC_PROVIDERS: is not JSON at position \d+/);
  assert.match(problems({}), /^OIDC_PROVIDERS: .*array/);
  assert.match(problems([{ ...provider, group: 'x' }]), /OIDC_PROVIDERS\.0: .*group/);
  assert.match(
    problems([{ ...provider, issuer: 'http://example.com' }]),
    /OIDC_PROVIDERS\.0\.issuer: must be an https/,
  );
  assert.match(problems([{ ...provider, id: 'default' }]), /OIDC_PROVIDERS\.0\.id: is taken/);
  assert.match(
    problems([{ ...provider, grants: [{ tenant_id: tenant, role: 'owner' }] }]),
    /OIDC_PROVIDERS\.0\.grants\.0\.role: /,
  );
  const same = { ...provider, issuer: `${provider.issuer}/` };
  assert.match(problems([provider, same]), /1\.id: is listed twice\n.*1\.issuer: is listed twice/);
  assert.match(problems([{ ...provider, issuer: 'login' }]), /0\.issuer: must be an https/);
  for (const domain of ['@example.com', 'a b.example', 'https://example.com', 'example', '']) {
    assert.match(
      problems([{ ...provider, email_domains: ['*', domain] }]),
      /0\.email_domains\.1: must be a domain name, such as example\.com, or \*/,
      domain,
    );
  }
  assert.match(
    problems([provider, { ...provider, id: 'two', issuer: 'https://two.example' }]),
    /0\.email_domains: is needed with several providers/,
  );
  assert.match(
    problems([{ ...provider, emails_are_verified: true }]),
    /0\.email_domains: must name the domains/,
  );
  assert.match(
    problems([provider], { OIDC_ISSUER: 'https://x.example' }),
    /OIDC_ISSUER: list it in OIDC_PROVIDERS/,
  );
  assert.match(problems([provider], { PUBLIC_BASE_URL: '' }), /PUBLIC_BASE_URL: is needed/);
});
