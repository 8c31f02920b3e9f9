import { setTimeout as sleep } from 'node:timers/promises';
import { SCOPES, type Scope } from '../../domain/accounts/access.ts';
import { createOperatorKey } from '../../services/accounts/api-keys/create-api-key.ts';
import { givePassword } from '../../services/accounts/give-password.ts';
import { listUsers } from '../../services/accounts/list-tenants.ts';
import { setTenantActive } from '../../services/accounts/change-tenant-limits.ts';
import { auditCursor, followAuditLog } from '../../services/audit-log/read-audit-log.ts';
import { presentAuditEvent } from '../../api/resources/audit-log.ts';
import { UsageError } from '../shared/usage-error.ts';
import { type Command, withDatabase } from './command.ts';
import { reportUnknownTenant, toEmail, toTenantId } from './tenant-commands.ts';

const LONGEST_NAME = 100;
const FOLLOW_EVERY_MS = 5000;

/** Commands for API keys, users, passwords, and disabling tenants. */
export const ACCESS_COMMANDS: Record<string, Command> = {
  'create-key': {
    usage: 'TENANT_ID [--name NAME] [--scopes SCOPE,SCOPE]',
    does: `creates an API key that belongs to the tenant, not to a member, and prints it once; it has all scopes by default:
${SCOPES.join(', ')}`,
    operands: 1,
    run: async ([id = ''], { name = 'Made by an operator', scopes }, env) => {
      const tenantId = toTenantId(id);
      if (name.trim() === '' || name.length > LONGEST_NAME) {
        throw new UsageError(`--name must have 1 to ${LONGEST_NAME} characters.`);
      }
      const wanted = { name: name.trim(), scopes: scopes === undefined ? null : toScopes(scopes) };
      return withDatabase(env, async (em) => {
        console.log(await createOperatorKey(em, tenantId, wanted));
        console.error('The key is not stored and is not shown again.');
        return 0;
      });
    },
  },
  'list-users': {
    usage: '[--tenant TENANT_ID] [--json]',
    does: 'prints every user, or those of one tenant, with their roles, whether their address is verified, and their last login',
    operands: 0,
    run: async (_operands, { tenant, json = false }, env) => {
      const tenantId = tenant === undefined ? undefined : toTenantId(tenant);
      return withDatabase(env, async (em) => {
        const users = await listUsers(em, tenantId);
        if (json) console.log(JSON.stringify(users, null, 2));
        else {
          for (const { id, email, emailVerified, hasPassword, lastLoginAt, tenants } of users) {
            const roles = tenants.map(({ name, role }) => `${role} of ${name}`).join(', ') || 'no tenant';
            const unverified = emailVerified ? '' : ', not verified';
            const password = hasPassword ? '' : ', no password';
            console.log(
              `${id}  ${email}${unverified}${password}: ${roles}, last login ${lastLoginAt ?? 'never'}`,
            );
          }
        }
        return 0;
      });
    },
  },
  'audit-log': {
    usage: '[--tenant TENANT_ID] [--after CURSOR] [--follow]',
    does: `prints the audit log of every tenant, or of one, oldest first, one line of JSON for each event with its \`cursor\`;
--after goes on from there, --follow waits for more`,
    operands: 0,
    run: async (_operands, { tenant, after, follow = false }, env) => {
      const tenantId = tenant === undefined ? undefined : toTenantId(tenant);
      return withDatabase(env, async (em) => {
        for (let next = after; ;) {
          const stretch = await followAuditLog(em.fork(), { tenantId, after: next, limit: 1000 });
          for (const event of stretch.events) {
            const line = {
              cursor: auditCursor(event),
              tenant_id: event.tenantId,
              ...presentAuditEvent(event),
            };
            console.log(JSON.stringify(line));
          }
          ({ next } = stretch);
          if (!stretch.hasMore && !follow) return 0;
          if (!stretch.hasMore) await sleep(FOLLOW_EVERY_MS);
        }
      });
    },
  },
  'reset-password': {
    usage: 'EMAIL',
    does: `sets a new password for a user and prints it once, marks their address as verified, and ends their sessions; API
keys remain valid`,
    operands: 1,
    run: async ([address = ''], _flags, env) => {
      const email = toEmail('The user', address);
      return withDatabase(env, async (em) => {
        const given = await givePassword(em, email);
        if (!given) {
          console.error(`There is no user ${email}; see list-users.`);
          return 1;
        }
        console.log(`User      ${email}\nPassword  ${given.password}`);
        console.log('The password is not stored and is not shown again: ask the user to change it.');
        if (given.liveKeys > 0) console.log(`API keys of this user that remain valid: ${given.liveKeys}.`);
        return 0;
      });
    },
  },
  'disable-tenant': activation(
    'rejects all requests of the tenant with 403 TENANT_DISABLED; work that was already accepted continues',
    false,
  ),
  'enable-tenant': activation('reverses disable-tenant; keys and sessions work again', true),
};

function activation(does: string, isActive: boolean): Command {
  return {
    usage: 'TENANT_ID',
    does,
    operands: 1,
    run: async ([id = ''], _flags, env) => {
      const tenantId = toTenantId(id);
      return withDatabase(env, async (em) => {
        const tenant = await setTenantActive(em, tenantId, isActive);
        if (!tenant) return reportUnknownTenant(tenantId);
        console.log(`${tenant.name} is ${isActive ? 'enabled' : 'disabled'}.`);
        return 0;
      });
    },
  };
}

function toScopes(text: string): Scope[] {
  return text.split(',').map((name) => {
    const scope = SCOPES.find((each) => each === name.trim());
    if (scope) return scope;
    throw new UsageError(`"${name.trim()}" is not a scope; choose from ${SCOPES.join(', ')}.`);
  });
}
