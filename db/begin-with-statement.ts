type Query = (...args: unknown[]) => unknown;

/** What `pg` answers to a statement without rows. */
const DONE = { command: '', rowCount: null, rows: [] };

/**
 * Sends `begin` in one message with the first statement of its transaction: otherwise, a tenth of all messages to Postgres
 * are a `begin`, for each of which two processes wake up. A transaction without statements sends nothing.
 *
 * @param query that of a `pg` client without its callback form: MikroORM sends statements as text, without parameters
 */
export function beginWithStatement(query: Query): Query {
  let begin: string | undefined;
  return (...args) => {
    const [statement] = args;
    if (typeof statement === 'string' && /^(begin|start transaction)\b/.test(statement)) {
      begin = statement;
      return Promise.resolve(DONE);
    }
    if (begin === undefined) return query(...args);
    const first = begin;
    begin = undefined;
    // A cursor and a statement with parameters are messages of their own.
    if (typeof statement !== 'string' || (args[1] as unknown[] | undefined)?.length) {
      Promise.resolve(query(first)).catch(() => undefined);
      return query(...args);
    }
    if (statement === 'commit' || statement === 'rollback') return Promise.resolve(DONE);
    return (query(`${first}; ${statement}`) as Promise<unknown[]>).then((results) => results.at(-1));
  };
}
