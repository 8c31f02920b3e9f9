import type { Orm } from '../../db/create-orm.ts';

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  Plans?: Plan[];
}

/** The node types in the plan of a statement: all of them, and those of the scans of one table. */
export async function planNodes(
  orm: Orm,
  statement: Parameters<Orm['em']['execute']>[0],
  table: string,
  { inOrder = false } = {},
): Promise<{ all: string[]; scans: string[] }> {
  const { sql, params } = statement as unknown as { sql: string; params: unknown[] };
  const [row] = await orm.em.fork().transactional(async (tx) => {
    if (inOrder) await tx.execute('set local enable_bitmapscan = off');
    return tx.execute<{ 'QUERY PLAN': { Plan: Plan }[] }[]>(`explain (format json) ${sql}`, params);
  });
  const walk = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(walk)];
  const nodes = row?.['QUERY PLAN'].flatMap(({ Plan }) => walk(Plan)) ?? [];
  return {
    all: nodes.map((node) => node['Node Type']),
    scans: nodes.filter((node) => node['Relation Name'] === table).map((node) => node['Node Type']),
  };
}
