const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Whether a text of a client may be compared with a column of ids: Postgres answers anything else with an error. Of any
 * version and in either case; rows have it in lower case.
 */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}
