import { readConfig } from '../domain/schemas/read-config.ts';
import { databaseConfig } from './config.ts';
import { createMigratingOrm } from './migrator.ts';

/** `npm run migration:create`: generates the migration from the last snapshot to the current entities. */
const orm = createMigratingOrm(readConfig([databaseConfig], process.env));
const { fileName } = await orm.migrator.create();
console.log(
  fileName ? `Wrote db/migrations/${fileName}; list it in db/migrations/index.ts.` : 'Nothing changed.',
);
await orm.close(true);
