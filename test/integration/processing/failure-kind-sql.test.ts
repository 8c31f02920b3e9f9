import assert from 'node:assert/strict';
import { test } from 'node:test';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import type { Components } from '../../../domain/components.ts';
import { CODES_OF_KIND, failureKind } from '../../../domain/failure-kind.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { failureKindSql } from '../../../services/files/failure-kind-sql.ts';

test('the database derives the kind of failure as the code does, for every pair of codes', async () => {
  const orm = createOrm(readConfig([databaseConfig], process.env));
  const codes = [undefined, 'WORKER_LOST', ...Object.values(CODES_OF_KIND).flatMap(([code]) => code ?? [])];
  const of = (code: string | undefined) =>
    code === undefined
      ? ({ status: 'skipped', cause: 'cancelled' } as const)
      : ({ status: 'failed', error: { code, message: 'why' } } as const);
  const files = codes.flatMap((first) =>
    codes.map((second): Components => ({ variant: of(first), description: of(second) })),
  );
  try {
    const rows = await orm.em.fork().execute<{ kind: string }[]>(
      `select ${failureKindSql('components')} as kind
       from jsonb_array_elements(?::jsonb) with ordinality as files(components, place) order by place`,
      [JSON.stringify(files)],
    );
    assert.deepEqual(
      rows.map(({ kind }) => kind),
      files.map((components) => failureKind(components)),
    );
  } finally {
    await orm.close();
  }
});
