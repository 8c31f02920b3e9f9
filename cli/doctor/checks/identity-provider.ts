import { oidcConfig } from '../../../adapters/oidc/config.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { connectionRemedy, type Area } from '../run-checks.ts';

const WITHIN_MS = 10_000;

/** Checks that the OpenID Connect provider, if one is configured, publishes its discovery document. */
export const identityProvider: Area = {
  name: 'Identity provider',
  slices: [oidcConfig],
  async check(env, report) {
    const { OIDC_ISSUER: issuer } = readConfig([oidcConfig], env);
    if (issuer === undefined) {
      report.ok('issuer', 'none: users log in with passwords');
      return;
    }
    const url = `${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`;
    const answer = await fetch(url, { signal: AbortSignal.timeout(WITHIN_MS) });
    await answer.body?.cancel();
    if (answer.ok) report.ok('issuer', issuer);
    else report.fail('issuer', `${url} answered ${answer.status}`, 'check OIDC_ISSUER');
  },
  remedy: (error) => connectionRemedy(error, 'NODE_EXTRA_CA_CERTS', 'check OIDC_ISSUER'),
};
