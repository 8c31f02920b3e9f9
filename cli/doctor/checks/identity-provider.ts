import { configuredProviders, oidcConfig, type OidcProviderSettings } from '../../../adapters/oidc/config.ts';
import { databaseConfig } from '../../../db/config.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { connectionRemedy, explainError, type Area, type Report } from '../run-checks.ts';
import { withOrm } from './postgres.ts';

const WITHIN_MS = 10_000;

/** Checks that every OpenID Connect provider publishes its discovery document, and that the accounts of its groups exist. */
export const identityProvider: Area = {
  name: 'Identity provider',
  slices: [oidcConfig, databaseConfig],
  async check(env, report) {
    const config = readConfig([oidcConfig, databaseConfig], env);
    const providers = configuredProviders(config);
    if (providers.length === 0) report.ok('issuer', 'none: users log in with passwords');
    await Promise.all(providers.map((each) => reportIssuer(each, report)));
    const granting = providers.filter(({ grants }) => grants.length > 0);
    if (granting.length === 0) return;
    await withOrm(config, async (orm) => {
      const found: { id: string }[] = await orm.em
        .fork()
        .execute('select id from tenants where deleted_at is null and id = any(?)', [
          `{${granting.flatMap(({ grants }) => grants.map((grant) => grant.tenant_id)).join(',')}}`,
        ]);
      const known = new Set(found.map(({ id }) => id));
      for (const each of granting) reportGrants(each, known, report);
    });
  },
  remedy,
};

async function reportIssuer({ id, name, issuer }: OidcProviderSettings, report: Report): Promise<void> {
  const check = name === undefined ? 'issuer' : `issuer of ${id}`;
  const setting = name === undefined ? 'OIDC_ISSUER' : `the issuer of ${id} in OIDC_PROVIDERS`;
  const url = `${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`;
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(WITHIN_MS) });
    if (!answer.ok) {
      await answer.body?.cancel();
      report.fail(check, `${url} answered ${answer.status}`, `check ${setting}`);
      return;
    }
    const { issuer: own } = (await answer.json()) as { issuer?: unknown };
    if (typeof own === 'string' && URL.parse(own)?.href === new URL(issuer).href) report.ok(check, issuer);
    else report.fail(check, `${url} is of ${String(own).slice(0, 200)}`, `write exactly that in ${setting}`);
  } catch (error) {
    report.fail(check, explainError(error), remedy(error));
  }
}

function reportGrants({ id, grants }: OidcProviderSettings, known: Set<string>, report: Report): void {
  const missing = new Set(grants.map((grant) => grant.tenant_id).filter((tenant) => !known.has(tenant)));
  if (missing.size === 0) report.ok(`groups of ${id}`, `${grants.length} grants`);
  else {
    report.fail(
      `groups of ${id}`,
      `no account ${[...missing].join(', ')}`,
      `correct tenant_id in its grants; npm run admin -- list-tenants`,
    );
  }
}

function remedy(error: unknown): string {
  return connectionRemedy(error, 'NODE_EXTRA_CA_CERTS', 'check the issuer');
}
