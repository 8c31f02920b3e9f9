import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ACTIONS, refuseAccess, scopesOf, type Action, SCOPES } from '../../../domain/accounts/access.ts';
import { lowerRole, ROLES } from '../../../domain/accounts/permissions.ts';
import { TIERS } from '../../../domain/accounts/tiers.ts';

const session = { kind: 'session', sessionId: 's', userId: 'u' } as const;
const key = (scopes: readonly (typeof SCOPES)[number][] | null = null) =>
  ({ kind: 'api_key', keyId: 'k', scopes }) as const;
const owner = { role: 'owner', tier: 'starter' } as const;

test('settings require a session, and data accepts a session or an API key', () => {
  assert.equal(refuseAccess({ ...owner, credential: key() }, 'tenant.read')?.code, 'LOGIN_SESSION_REQUIRED');
  assert.equal(refuseAccess({ ...owner, credential: session }, 'tenant.read'), undefined);
  assert.equal(refuseAccess({ ...owner, credential: key() }, 'files.write'), undefined);
  assert.equal(refuseAccess({ ...owner, credential: session }, 'files.write'), undefined);
});

test('scopes restrict a key but cannot extend its role', () => {
  const reader = key(['files.read']);
  assert.equal(refuseAccess({ ...owner, credential: reader }, 'files.write')?.code, 'FORBIDDEN');
  const viewer = { role: 'viewer', tier: 'starter', credential: key(['files.write']) } as const;
  assert.equal(refuseAccess(viewer, 'files.write')?.code, 'FORBIDDEN');
});

test('the free tier has no API access, but its users may log in', () => {
  const free = { role: 'owner', tier: 'free' } as const;
  assert.equal(refuseAccess({ ...free, credential: key() }, 'files.read')?.code, 'INSUFFICIENT_TIER');
  assert.equal(refuseAccess({ ...free, credential: session }, 'files.read'), undefined);
  assert.equal(refuseAccess({ ...free, credential: session }, 'api-keys.create')?.code, 'INSUFFICIENT_TIER');
});

test('a higher role may do everything that a lower one may', () => {
  const actions = Object.keys(ACTIONS) as Action[];
  fc.assert(
    fc.property(
      fc.constantFrom(...actions),
      fc.constantFrom(...TIERS),
      fc.constantFrom(session, key(), key(['files.read'])),
      (action, tier, credential) => {
        const allowed = ROLES.map((role) => refuseAccess({ role, tier, credential }, action) === undefined);
        assert.deepEqual(allowed, allowed.toSorted());
      },
    ),
  );
});

test('the lower of two roles has exactly the permissions that both have', () => {
  const role = fc.constantFrom(...ROLES);
  const actions = Object.keys(ACTIONS) as Action[];
  fc.assert(
    fc.property(role, role, fc.constantFrom(...actions), (one, other, action) => {
      const may = (given: (typeof ROLES)[number]) =>
        refuseAccess({ role: given, tier: 'starter', credential: session }, action) === undefined;
      assert.equal(may(lowerRole(one, other)), may(one) && may(other));
    }),
  );
});

test('the scopes of a key are exactly its permitted actions', () => {
  const narrowed = fc.option(fc.subarray([...SCOPES]), { nil: null });
  fc.assert(
    fc.property(fc.constantFrom(...ROLES), narrowed, (role, scopes) => {
      const permitted = SCOPES.filter(
        (scope) => refuseAccess({ role, tier: 'starter', credential: key(scopes) }, scope) === undefined,
      );
      assert.deepEqual(scopesOf(role, scopes), permitted);
    }),
  );
});
