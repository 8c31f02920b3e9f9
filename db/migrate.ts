import { migrateSchema } from './migrate-schema.ts';

/** `node db/migrate.ts`: migrates the schema of the database. Safe to repeat and to run concurrently. */
for (const line of await migrateSchema(process.env)) console.log(line);
