import { z } from 'zod';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { TIERS, UNLIMITED, type Tier } from '../../domain/accounts/tiers.ts';
import { changeTenantLimits, type TenantLimitChanges } from '../../services/accounts/change-tenant-limits.ts';
import { email } from '../../domain/schemas/addresses.ts';
import { createTenant } from '../../services/accounts/create-tenant.ts';
import { listTenants } from '../../services/accounts/list-tenants.ts';
import { UsageError } from '../shared/usage-error.ts';
import { wholeNumber } from '../shared/flags.ts';
import { migrateSchema } from '../../db/migrate-schema.ts';
import { type Command, withDatabase } from './command.ts';
import {
  credentialsAreSeeded,
  seedTenants,
  type SeedCredentials,
} from '../../services/accounts/seed-tenants.ts';

/** Maximum of an integer column. */
const MOST = 2_147_483_647;
const LONGEST_NAME = 200;

export const TENANT_COMMANDS: Record<string, Command> = {
  'create-tenant': {
    usage: 'NAME --owner EMAIL [--tier TIER] [--json]',
    does: `creates a tenant, of tier free by default, and its owner, whose password is printed once; an owner who already has an
account with a verified address keeps their password`,
    operands: 1,
    run: async ([name = ''], { owner, tier = 'free', json = false }, env) => {
      if (owner === undefined) return undefined;
      if (name.trim() === '' || name.length > LONGEST_NAME) {
        throw new UsageError(`The name must have 1 to ${LONGEST_NAME} characters.`);
      }
      const ownerEmail = toEmail('--owner', owner);
      return withDatabase(env, async (em) => {
        const created = await createTenant(em, { name: name.trim(), tier: toTier(tier), ownerEmail });
        if (json) {
          console.log(JSON.stringify({ ...created, ownerEmail }));
          return 0;
        }
        console.log(`Created tenant ${created.tenantId}.`);
        if (created.password === undefined) console.log(`The owner ${ownerEmail} already has an account.`);
        else {
          console.log(`Owner     ${ownerEmail}\nPassword  ${created.password}`);
          console.log('The password is not stored and is not shown again: ask the owner to change it.');
        }
        return 0;
      });
    },
  },
  'set-tier': {
    usage: 'TENANT_ID TIER',
    does: `changes the tier: ${TIERS.join(', ')}`,
    operands: 2,
    run: async ([id = '', tier = ''], _flags, env) => change(id, { tier: toTier(tier) }, env),
  },
  'set-limits': {
    usage: 'TENANT_ID [--requests-per-minute N] [--monthly-credits N]',
    does: 'overrides the limits of the tier: a number, "unlimited", or "tier" to remove the override',
    operands: 1,
    run: async ([id = ''], { 'requests-per-minute': requests, 'monthly-credits': credits }, env) => {
      if (requests === undefined && credits === undefined) return undefined;
      return change(
        id,
        {
          ...(requests !== undefined && {
            maxRequestsPerMinute: toLimit('--requests-per-minute', requests, 1),
          }),
          ...(credits !== undefined && { maxMonthlyCredits: toLimit('--monthly-credits', credits, 0) }),
        },
        env,
      );
    },
  },
  'list-tenants': {
    usage: '[--json]',
    does: 'prints every tenant with its owner, tier, limits, and the credits used this month',
    operands: 0,
    run: async (_operands, { json = false }, env) =>
      withDatabase(env, async (em) => {
        const tenants = await listTenants(em);
        if (json) console.log(JSON.stringify(tenants, null, 2));
        else {
          for (const { id, name, tier, ownerEmail, isActive, isDeleted, ...limits } of tenants) {
            const requests = `${shown(limits.requestsPerMinute)} requests a minute`;
            const credits = `${limits.creditsUsed} of ${shown(limits.creditsPerMonth)} credits`;
            const state = isDeleted ? ', deleted' : isActive ? '' : ', disabled';
            console.log(
              `${id}  ${tier.padEnd(12)}  ${name} (${ownerEmail ?? 'no owner'}): ${requests}, ${credits}${state}`,
            );
          }
        }
        return 0;
      }),
  },
};

async function change(id: string, changes: TenantLimitChanges, env: NodeJS.ProcessEnv): Promise<number> {
  const tenantId = toTenantId(id);
  return withDatabase(env, async (em) => {
    const tenant = await changeTenantLimits(em, tenantId, changes);
    if (!tenant) return reportUnknownTenant(tenantId);
    const { name, tier, maxRequestsPerMinute, maxMonthlyCredits } = tenant;
    const requests = shown(maxRequestsPerMinute);
    const credits = shown(maxMonthlyCredits);
    console.log(`${name}: ${tier}, requests per minute ${requests}, monthly credits ${credits}.`);
    return 0;
  });
}

/** @throws UsageError unless the text has the format of a tenant id */
export function toTenantId(text: string): string {
  if (z.guid().safeParse(text).success) return text;
  throw new UsageError(`"${text}" is not the id of a tenant; see list-tenants.`);
}

/** The address in lower case. @throws UsageError unless the text is an email address */
export function toEmail(what: string, text: string): string {
  const read = email.safeParse(text);
  if (read.success) return read.data;
  throw new UsageError(`${what} must be an email address, not "${text}".`);
}

/** Reports an unknown tenant. Returns the exit code. */
export function reportUnknownTenant(id: string): number {
  console.error(`There is no tenant ${id}; see list-tenants.`);
  return 1;
}

function toTier(text: string): Tier {
  const tier = TIERS.find((each) => each === text);
  if (tier) return tier;
  throw new UsageError(`"${text}" is not a tier; choose from ${TIERS.join(', ')}.`);
}

function toLimit(flag: string, text: string, least: number): number | null {
  if (text === 'tier') return null;
  return text === 'unlimited' ? UNLIMITED : wholeNumber(flag, text, least, MOST);
}

function shown(limit: number | null | undefined): string {
  return limit === UNLIMITED ? 'unlimited' : String(limit ?? 'of its tier');
}

export const SEED_COMMANDS: Record<string, Command> = {
  seed: {
    usage: '--credentials FILE [--migrate] [--unlimited-requests]',
    does: `creates one tenant per tier and writes their keys and passwords to FILE, readable only by its owner; changes
nothing if the tenants in FILE already exist; --migrate migrates the schema before; --unlimited-requests removes their
rate limits, for tests`,
    operands: 0,
    run: async (
      _operands,
      { credentials: file, migrate = false, 'unlimited-requests': unlimited = false },
      env,
    ) => {
      if (!file) return undefined;
      if (migrate) for (const line of await migrateSchema(env)) console.log(line);
      return withDatabase(env, async (em) => {
        const known = existsSync(file)
          ? (JSON.parse(readFileSync(file, 'utf8')) as SeedCredentials)
          : undefined;
        if (known && (await credentialsAreSeeded(em, known))) {
          console.log('The tenants already exist; nothing changed.');
          return 0;
        }
        const seeded = await seedTenants(em, { maxRequestsPerMinute: unlimited ? UNLIMITED : null });
        writeFileSync(file, `${JSON.stringify(seeded, null, 2)}\n`, { mode: 0o600 });
        console.log(`Created the tenants. Their keys are in ${file}.`);
        return 0;
      });
    },
  },
};
