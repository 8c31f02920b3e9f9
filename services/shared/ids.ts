const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Whether client input may be compared with an id column: Postgres rejects anything else with an error. Accepts any
 * version and either case; rows store lower case.
 */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}
