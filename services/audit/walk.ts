import type { FilterQuery } from '@mikro-orm/core';
import { StoredFile } from '../../db/entities/stored-file.ts';
import type { AuditDeps } from './invariant.ts';

const PAGE = 500;
const AT_ONCE = 8;

/** All files of all tenants that match, the trash included, page by page. */
export async function* walkFiles(
  { em }: Pick<AuditDeps, 'em'>,
  where: FilterQuery<StoredFile> = {},
): AsyncIterable<StoredFile> {
  let after = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const page = await em().find(
      StoredFile,
      { $and: [{ id: { $gt: after } }, where] },
      { orderBy: { id: 'asc' }, limit: PAGE },
    );
    yield* page;
    const last = page.at(-1);
    if (!last || page.length < PAGE) return;
    after = last.id;
  }
}

/** Runs a check on each item, a few at a time, and yields the breaches as they come. */
export async function* inspect<T>(
  items: AsyncIterable<T>,
  check: (item: T) => Promise<string | undefined>,
): AsyncIterable<string> {
  let batch: Promise<string | undefined>[] = [];
  for await (const item of items) {
    batch.push(check(item));
    if (batch.length < AT_ONCE) continue;
    yield* breaches(await Promise.all(batch));
    batch = [];
  }
  yield* breaches(await Promise.all(batch));
}

function breaches(found: (string | undefined)[]): string[] {
  return found.filter((line) => line !== undefined);
}
