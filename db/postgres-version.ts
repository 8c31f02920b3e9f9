/** The oldest major version of Postgres that the migrations work on: the first with the collation `pg_c_utf8`. */
export const LEAST_POSTGRES = 17;
