import { DriverException } from '@mikro-orm/core';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ObjectStoreUnavailable } from '../../../adapters/object-store/object-store.ts';
import { VectorIndexError } from '../../../adapters/vector-index/vector-index.ts';
import { outage } from '../../../services/shared/outage.ts';
import { EngineUnavailable } from '../../../temporal/client.ts';

const coded = (code: string, message = code) => Object.assign(new Error(message), { code });
const ofDatabase = (error: Error) => new DriverException(error);
const within = (cause: unknown) => new Error('it failed', { cause });

const OUTAGES: [string, unknown, ReturnType<typeof outage>][] = [
  ['an unavailable object store', new ObjectStoreUnavailable('away'), 'object store'],
  ['an unavailable engine', within(new EngineUnavailable('away')), 'workflow engine'],
  ['an unavailable index', within(new VectorIndexError('VECTOR_INDEX_UNAVAILABLE', 'away')), 'vector index'],
  ['Postgres starting up', ofDatabase(coded('57P03')), 'database'],
  ['too many connections', ofDatabase(coded('53300')), 'database'],
  ['a full disk of the database', ofDatabase(coded('53100')), 'database'],
  ['a statement timeout', within(ofDatabase(coded('57014'))), 'database'],
  ['a refused connection', ofDatabase(coded('ECONNREFUSED')), 'database'],
  ['an unreachable name server', ofDatabase(coded('EAI_AGAIN')), 'database'],
  ['a full pool', ofDatabase(new Error('timeout exceeded when trying to connect')), 'database'],
  ['a lost connection', ofDatabase(new Error('Connection terminated unexpectedly')), 'database'],
  ['a read timeout', ofDatabase(new Error('Query read timeout')), 'database'],
  ['a refused connection of an unknown client', coded('ECONNREFUSED'), undefined],
  [
    'a refused connection, through fetch',
    new TypeError('fetch failed', { cause: coded('ECONNRESET') }),
    undefined,
  ],
  ['an unknown host', within(coded('ENOTFOUND')), undefined],
  ['a message of another client', new Error('Connection terminated'), undefined],
  ['a wrong query', ofDatabase(coded('42P01')), undefined],
  ['a violated constraint', ofDatabase(coded('23505')), undefined],
  ['no error', 'ECONNREFUSED', undefined],
];

for (const [what, error, server] of OUTAGES) {
  test(`${what} is an outage of ${server ?? 'none of our servers'}`, () =>
    assert.equal(outage(error), server));
}
