import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { streamRows, type RowValues } from '../../../db/stream-rows.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { readText, TextTooLong, VALUES, valuesOf } from '../../../services/exports/table.ts';
import { joinSql, sql, type Sql } from '../../../services/shared/sql.ts';
import { anyText } from '../../support/any-text.ts';

const orm = createOrm(readConfig([databaseConfig], process.env));
after(() => orm.close(true));

const rows = fc.array(fc.tuple(anyText, anyText), { minLength: 1, maxLength: 200 });

/** Two texts of each row, as columns `one` and `two`, in the order of `n`. */
function valuesSql(of: readonly (readonly [string, string])[]): Sql {
  const each = of.map(([one, two], n): Sql => sql`(${n}::int, ${one}::text, ${two}::text)`);
  return sql`(values ${joinSql(each, ',')}) as texts (n, one, two)`;
}

test('rows have the exact texts of the database, whatever characters they contain', async () => {
  await fc.assert(
    fc.asyncProperty(rows, async (of) => {
      const select = sql`select n, one, two, null from ${valuesSql(of)} order by n`;
      const { text, records } = await readText(orm.em.fork(), select, VALUES);
      assert.equal(records, of.length);
      assert.deepEqual(
        valuesOf({ text }),
        of.map(([one, two], n) => [String(n), one, two, null]),
      );
    }),
    { numRuns: 40 },
  );
});

test('reading stops when a text gets too long, except for a single long record', async () => {
  const layout = { between: ',', row: ([text]: RowValues) => text ?? '' };
  const read = (records: number, each: number) =>
    readText(
      orm.em.fork(),
      sql`select repeat('x', ${each}) from generate_series(1, ${records})`,
      layout,
      100_000,
    );
  assert.equal((await read(10, 9999)).text.length, 99_999);
  assert.equal((await read(1, 5_000_000)).text.length, 5_000_000);
  await assert.rejects(read(2, 50_000), TextTooLong);
  await assert.rejects(read(100_000, 1000), TextTooLong);
});

test('a failing statement rejects, and leaves the pool usable', async () => {
  const em = orm.em.fork();
  const rowsOf = async (query: Sql) => {
    let count = 0;
    await streamRows(em, query, () => (count += 1));
    return count;
  };
  // Failures in the middle of the rows and before the first one.
  await assert.rejects(
    rowsOf(sql`select 1 / (5000 - n) from generate_series(1, 9000) as n`),
    /division by zero/,
  );
  await assert.rejects(rowsOf(sql`select nothing`), { name: 'InvalidFieldNameException' });
  await assert.rejects(
    streamRows(em, sql`select n from generate_series(1, 9000) as n`, () => {
      throw new Error('too much');
    }),
    { message: 'too much' },
  );
  assert.equal(await rowsOf(sql`select n from generate_series(1, 9000) as n`), 9000);
  assert.equal(await rowsOf(sql`select '' where false`), 0);
});
