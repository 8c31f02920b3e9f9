import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { UNLIMITED } from '../../domain/accounts/tiers.ts';
import {
  credentialsAreSeeded,
  seedTenants,
  type SeedCredentials,
} from '../../services/accounts/seed-tenants.ts';
import type { Command } from './command.ts';
import { withDatabase } from './with-servers.ts';

export const SEED_COMMANDS: Record<string, Command> = {
  seed: {
    usage: '--credentials FILE [--unlimited-requests]',
    does: `creates one tenant per tier and writes their keys and passwords to FILE, readable only by its owner; changes
nothing if the tenants in FILE already exist; without rate limits for tests`,
    operands: 0,
    run: async (_operands, { credentials: file, 'unlimited-requests': unlimited = false }, env) => {
      if (!file) return undefined;
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
