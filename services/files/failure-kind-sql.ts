import { CODES_OF_KIND, FAILURE_KINDS } from '../../domain/failure-kind.ts';

const position = (kind: (typeof FAILURE_KINDS)[number]) => FAILURE_KINDS.indexOf(kind) + 1;

const POSITION_OF_CODE = Object.entries(CODES_OF_KIND)
  .map(([kind, codes]) => {
    const list = codes.map((code) => `'${code}'`).join(', ');
    return `when state->'error'->>'code' in (${list}) then ${position(kind as keyof typeof CODES_OF_KIND)}`;
  })
  .join(' ');

/**
 * `failureKind` of a failed file in SQL.
 *
 * @param components its column; never client input
 */
export function failureKindSql(components: string): string {
  const kinds = FAILURE_KINDS.map((kind) => `'${kind}'`).join(', ');
  return `(array[${kinds}])[coalesce(
    (select min(case ${POSITION_OF_CODE} else ${position('service_failed')} end)
     from jsonb_each(${components}) as component(name, state) where state->'error'->>'code' is not null),
    ${position('cancelled')})]`;
}
