import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { csvLine } from '../../../adapters/table-writer/csv.ts';
import { copyOut } from '../../../db/copy-out.ts';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { MAX_CELL_LENGTH, plainText } from '../../../domain/exports/cell.ts';
import { MAX_EXPORT_COLUMNS } from '../../../domain/limits.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { copyText, TextTooLong } from '../../../services/exports/copy-text.ts';
import { CSV } from '../../../services/exports/csv-sql.ts';
import { cellsSql, type CellsFormat } from '../../../services/exports/files/cells-sql.ts';
import { recordSql } from '../../../services/exports/history/record-sql.ts';
import { registerMedia } from '../../../services/all-media.ts';
import { joinSql, sql, type Sql } from '../../../services/shared/sql.ts';

registerMedia();
const orm = createOrm(readConfig([databaseConfig], process.env));
after(() => orm.close(true));

const HISTORY = { fields: ['id', 'description'], includeMetadata: false } as const;
const NAMES = [
  { key: 'title', name: 'Title' },
  { key: 'filename', name: 'File name' },
] as const;

/** Any text that Postgres can hold, often with what formats make difficult. */
const piece = fc.oneof(
  fc.constantFrom(
    ...'=+-@＝＋－＠\t\r\n",;\'\\?\u0001\u0007\u001b\ufffe\uffff\u0085\u2028🛶é',
    '\r\n',
    '\\.',
    '_x0041_',
    '_x005F_x000a_',
    '""',
    '?',
  ),
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
);
const text = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join('').replaceAll('\0', ''));
const rows = fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 200 });

/** Two texts of each row, as columns `one` and `two`, in the order of `n`. */
function valuesSql(of: readonly (readonly [string, string])[]): Sql {
  const each = of.map(([one, two], n): Sql => sql`(${n}::int, ${one}::text, ${two}::text)`);
  return sql`(values ${joinSql(each, ',')}) as texts (n, one, two)`;
}

function filesSql(of: readonly (readonly [string, string])[]): Sql {
  return sql`select gen_random_uuid() as id, to_timestamp(-n) as created_at, one as title, two as filename
    from ${valuesSql(of)}`;
}

function describedSql(of: readonly (readonly [string, string])[]): Sql {
  return sql`from (select n as id, two as description from ${valuesSql(of)}) as d order by d.id`;
}

async function filesAs(as: CellsFormat, of: readonly (readonly [string, string])[]): Promise<string> {
  const { cells, from } = cellsSql({ columns: [...NAMES], flattenTags: true }, as);
  const shape =
    as === 'csv' ? CSV : ({ format: 'text', between: as === 'json' ? ',' : '', end: '' } as const);
  const { text: copied, records } = await copyText(
    orm.em.fork(),
    sql`select ${cells} from ${from(filesSql(of))}`,
    shape,
  );
  assert.equal(records, of.length);
  return copied.toString();
}

test('lines of files are what csv-stringify makes of plain texts, whatever is in them', async () => {
  await fc.assert(
    fc.asyncProperty(rows, async (of) => {
      const expected = of.map((cells) => csvLine(cells.map(plainText))).join('');
      assert.equal(await filesAs('csv', of), expected);
    }),
    { numRuns: 40 },
  );
});

test('rows of files have the plain texts', async () => {
  await fc.assert(
    fc.asyncProperty(rows, async (of) => {
      const expected = of.map((cells) => cells.map(plainText));
      assert.deepEqual(JSON.parse(`[${await filesAs('json', of)}]`), expected);
    }),
    { numRuns: 20 },
  );
});

test('rows of a sheet have the plain texts, escaped', async () => {
  await fc.assert(
    fc.asyncProperty(rows, async (of) => {
      const escaped = (cell: string) =>
        plainText(cell).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
      const textOf = (run: string) => `<t xml:space="preserve">${run}</t>`;
      const runsOf = (cell: string) =>
        cell.split(/(?<=_)(?=x[0-9a-f]{4}_)/i).map((run) => `<r>${textOf(run)}</r>`);
      const cellOf = (cell: string) =>
        `<c t="inlineStr"><is>${cell.includes('_x') ? runsOf(escaped(cell)).join('') : textOf(escaped(cell))}</is></c>`;
      const expected = of.map((cells) => `<row>${cells.map(cellOf).join('')}</row>`).join('');
      assert.equal(await filesAs('sheet', of), expected);
    }),
    { numRuns: 20 },
  );
});

test('a sheet has as many columns as an export may ask for', async () => {
  const columns = Array.from({ length: MAX_EXPORT_COLUMNS }, () => NAMES[0]);
  for (const as of ['csv', 'json', 'sheet'] as const) {
    const { cells, from } = cellsSql({ columns, flattenTags: true }, as);
    const { records } = await copyText(
      orm.em.fork(),
      sql`select ${cells} from ${from(filesSql([['one', 'two']]))}`,
      { format: as === 'csv' ? 'csv' : 'text', between: '', end: '' },
    );
    assert.equal(records, 1, as);
  }
});

test('a text is cut to the length of a cell, between two characters', async () => {
  const long = ['a'.repeat(MAX_CELL_LENGTH + 1), `${'a'.repeat(MAX_CELL_LENGTH - 1)}🛶`] as const;
  const astral = [
    '🛶'.repeat(MAX_CELL_LENGTH),
    `${'🛶'.repeat(20_000)}\r\n${'a'.repeat(MAX_CELL_LENGTH)}`,
  ] as const;
  const mixed = [`${'a'.repeat(20_000)}${'🛶'.repeat(20_000)}`, `a${'🛶b'.repeat(MAX_CELL_LENGTH)}`] as const;
  const fitting = [
    '🛶'.repeat(MAX_CELL_LENGTH >> 1),
    `é"${'\r\n'.repeat(9)}${'é'.repeat(MAX_CELL_LENGTH - 11)}`,
  ] as const;
  const [cut, kept, ...others] = JSON.parse(
    `[${await filesAs('json', [long, fitting, astral, mixed])}]`,
  ) as string[][];
  assert.deepEqual(others, [astral.map(plainText), mixed.map(plainText)]);
  assert.deepEqual(cut, ['a'.repeat(MAX_CELL_LENGTH), 'a'.repeat(MAX_CELL_LENGTH - 1)]);
  assert.deepEqual(kept, fitting.map(plainText));
});

test('records of the history are what csv-stringify and JSON make of any texts', async () => {
  await fc.assert(
    fc.asyncProperty(rows, async (of) => {
      const lines = async (format: 'csv' | 'jsonl') => {
        const select = sql`select ${recordSql(format, { ...HISTORY, fields: [...HISTORY.fields] }, 'described')} ${describedSql(of)}`;
        const shape = format === 'csv' ? CSV : ({ format: 'text', between: '', end: '\n' } as const);
        return (await copyText(orm.em.fork(), select, shape)).text.toString();
      };
      assert.equal(await lines('csv'), of.map(([, two], n) => csvLine([String(n), two])).join(''));
      const parsed = (await lines('jsonl')).split('\n').slice(0, -1);
      assert.deepEqual(
        parsed.map((line) => JSON.parse(line) as unknown),
        of.map(([, two], n) => ({ id: String(n), description: two })),
      );
    }),
    { numRuns: 40 },
  );
});

test('a text is left when it gets too long, but for a record that is long by itself', async () => {
  const copied = (records: number, each: number) =>
    copyText(
      orm.em.fork(),
      sql`select repeat('x', ${each}) from generate_series(1, ${records})`,
      { format: 'text', between: ',', end: '' },
      100_000,
    );
  assert.equal((await copied(10, 9999)).text.length, 99_999);
  assert.equal((await copied(1, 5_000_000)).text.length, 5_000_000);
  await assert.rejects(copied(2, 50_000), TextTooLong);
  await assert.rejects(copied(100_000, 1000), TextTooLong);
});

test('a statement that fails says so, and leaves the pool usable', async () => {
  const em = orm.em.fork();
  const rowsOf = async (query: Sql) => {
    let count = 0;
    await copyOut(em, query, 'text', () => (count += 1));
    return count;
  };
  // In its middle, and before its beginning.
  await assert.rejects(
    rowsOf(sql`select (1 / (5000 - n))::text from generate_series(1, 9000) as n`),
    /division by zero/,
  );
  await assert.rejects(rowsOf(sql`select nothing`), { name: 'InvalidFieldNameException' });
  await assert.rejects(
    copyOut(em, sql`select n::text from generate_series(1, 9000) as n`, 'text', () => {
      throw new Error('too much');
    }),
    { message: 'too much' },
  );
  assert.equal(await rowsOf(sql`select n::text from generate_series(1, 9000) as n`), 9000);
  assert.equal(await rowsOf(sql`select '' where false`), 0);
});
