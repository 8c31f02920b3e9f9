import fc from 'fast-check';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { Tenant } from '../../../db/entities/accounts/tenant.ts';
import { AppError } from '../../../domain/app-error.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { acquireLease, type Lease } from '../../../services/shared/idempotency.ts';

/** Model-based test of idempotency keys on a real Postgres: acquired, answered, released, and held by dead processes. */
const orm = createOrm(readConfig([databaseConfig], process.env));
const tenantId = randomUUID();
await orm.em.fork().insert(Tenant, { id: tenantId, name: 'keys', tier: 'enterprise', createdAt: new Date() });
after(() => orm.close(true));

interface Holding {
  key: string;
  hold: Lease;
}

interface Model {
  /** Each known key: its request content, its holder and whether it was answered. */
  keys: Map<string, { content: string; holder: Holding; dead: boolean; answered?: true }>;
}

interface Real {
  route: string;
  /** Unfinished requests, dead or alive. */
  open: Holding[];
}

type Command = fc.AsyncCommand<Model, Real>;

class Ask implements Command {
  readonly key: string;
  readonly content: string;
  constructor(key: string, content: string) {
    this.key = key;
    this.content = content;
  }
  check = () => true;
  async run({ keys }: Model, { route, open }: Real): Promise<void> {
    const known = keys.get(this.key);
    const ask = () => acquireLease(orm.em.fork(), { tenantId, route, key: this.key, content: this.content });
    const refused = (code: string) =>
      assert.rejects(ask(), (error) => error instanceof AppError && error.code === code);
    if (known && known.content !== this.content) return refused('IDEMPOTENCY_KEY_REUSED');
    if (known?.answered) {
      const { resourceId } = known.holder.hold;
      return assert.deepEqual(await ask(), { answered: true, resourceId });
    }
    if (known && !known.dead) return refused('REQUEST_IN_FLIGHT');
    const hold = await ask();
    assert.ok(!hold.answered);
    if (known) assert.equal(hold.resourceId, known.holder.hold.resourceId, 'the resource id is kept');
    const holder = { key: this.key, hold };
    open.push(holder);
    keys.set(this.key, { content: this.content, holder, dead: false });
  }
  toString = () => `ask ${this.key} ${this.content}`;
}

/** An action of a current or former holder of a key. */
class Holder implements Command {
  readonly name: 'keep' | 'release' | 'expire' | 'die';
  readonly which: number;
  constructor(name: Holder['name'], which: number) {
    this.name = name;
    this.which = which;
  }
  check = () => true;
  async run({ keys }: Model, { route, open }: Real): Promise<void> {
    const index = this.which % Math.max(1, open.length);
    const holding = open[index];
    if (!holding) return;
    const { key, hold } = holding;
    const known = keys.get(key);
    // A holder that was presumed dead and replaced has no effect.
    const mine = known?.holder === holding ? known : undefined;
    if (this.name === 'die') {
      const dead = [tenantId, route, key, hold.resourceId];
      if (!mine) return;
      await orm.em.fork().execute(
        `update idempotency_keys set leased_until = now() - interval '1 second'
         where tenant_id = ? and route = ? and key = ? and resource_id = ?`,
        dead,
      );
      mine.dead = true;
      return;
    }
    open.splice(index, 1);
    if (this.name === 'keep') {
      await hold.keep();
      if (mine) mine.answered = true;
    } else if (this.name === 'expire') {
      await hold.expire();
      if (mine) mine.dead = true;
    } else {
      await hold.release();
      if (mine) keys.delete(key);
    }
  }
  toString = () => `${this.name} ${this.which}`;
}

test('in any order of requests, a key is executed once', async (context) => {
  // Leases are renewed by a timer; here they end only when a holder dies.
  context.mock.timers.enable({ apis: ['setInterval'] });
  const key = fc.constantFrom('k1', 'k2');
  const commands = [
    fc.tuple(key, fc.constantFrom('a', 'a', 'b')).map(([name, content]) => new Ask(name, content)),
    fc
      .tuple(fc.constantFrom(...(['keep', 'release', 'expire', 'die'] as const)), fc.nat(20))
      .map(([name, which]) => new Holder(name, which)),
  ];
  await fc.assert(
    fc.asyncProperty(fc.commands(commands, { maxCommands: 40, size: 'max' }), async (run) => {
      const real: Real = { route: randomUUID(), open: [] };
      await fc.asyncModelRun(() => ({ model: { keys: new Map() }, real }), run);
      for (const { hold } of real.open) await hold.release();
    }),
    { numRuns: 80 },
  );
});

test('one of twenty concurrent equal requests is executed, and the others report that it is in flight', async () => {
  const request = { tenantId, route: randomUUID(), key: 'twenty', content: 'a' };
  const asked = await Promise.allSettled(
    Array.from({ length: 20 }, () => acquireLease(orm.em.fork(), request)),
  );
  const held = asked.flatMap((one) => (one.status === 'fulfilled' && !one.value.answered ? [one.value] : []));
  assert.equal(held.length, 1);
  const codes = asked.flatMap((one) =>
    one.status === 'rejected' && one.reason instanceof AppError ? [one.reason.code] : [],
  );
  assert.deepEqual(codes, Array<string>(19).fill('REQUEST_IN_FLIGHT'));
  await held[0]?.keep();
  const { resourceId } = held[0] ?? {};
  assert.deepEqual(await acquireLease(orm.em.fork(), request), { answered: true, resourceId });
});
