import { DriverException } from '@mikro-orm/core';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ObjectStoreUnavailable } from '../../../adapters/object-store/errors.ts';
import { VectorIndexError } from '../../../adapters/vector-index/vector-index-error.ts';
import { outage } from '../../../services/shared/outage.ts';
import { EngineUnavailable } from '../../../temporal/client.ts';

const coded = (code: string, message = code) => Object.assign(new Error(message), { code });
const ofDatabase = (error: Error) => new DriverException(error);
const within = (cause: unknown) => new Error('it failed', { cause });

const OUTAGES: [string, unknown, ReturnType<typeof outage>][] = [
  ['a store that is away', new ObjectStoreUnavailable('away'), 'object store'],
  ['an engine that is away', within(new EngineUnavailable('away')), 'workflow engine'],
  ['an index that is away', within(new VectorIndexError('VECTOR_INDEX_UNAVAILABLE', 'away')), 'vector index'],
  ['Postgres starting up', ofDatabase(coded('57P03')), 'database'],
  ['too many connections', ofDatabase(coded('53300')), 'database'],
  ['a statement timeout', within(ofDatabase(coded('57014'))), 'database'],
  ['a refused connection', ofDatabase(coded('ECONNREFUSED')), 'database'],
  ['a name server away', ofDatabase(coded('EAI_AGAIN')), 'database'],
  ['a full pool', ofDatabase(new Error('timeout exceeded when trying to connect')), 'database'],
  ['a lost connection', ofDatabase(new Error('Connection terminated unexpectedly')), 'database'],
  ['a client that hears nothing', ofDatabase(new Error('Query read timeout')), 'database'],
  ['a site that refuses', coded('ECONNREFUSED'), undefined],
  [
    'a refused connection, through fetch',
    new TypeError('fetch failed', { cause: coded('ECONNRESET') }),
    undefined,
  ],
  ['a site of unknown name', within(coded('ENOTFOUND')), undefined],
  ['words of another client', new Error('Connection terminated'), undefined],
  ['a wrong query', ofDatabase(coded('42P01')), undefined],
  ['a broken rule', ofDatabase(coded('23505')), undefined],
  ['no error', 'ECONNREFUSED', undefined],
];

for (const [what, error, server] of OUTAGES) {
  test(`${what} is an outage of ${server ?? 'none of our servers'}`, () =>
    assert.equal(outage(error), server));
}
