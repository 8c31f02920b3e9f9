import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { s3Config } from '../../adapters/object-store/config.ts';
import { createS3ObjectStore } from '../../adapters/object-store/s3-object-store.ts';
import { vectorConfig } from '../../adapters/vector-index/config.ts';
import { createVectorIndex } from '../../adapters/vector-index/create-vector-index.ts';
import { databaseConfig } from '../../db/config.ts';
import { createOrm } from '../../db/create-orm.ts';
import { IMAGE_COLLECTION } from '../../domain/search/collections.ts';
import { apiAddress, originOf } from '../../domain/schemas/api-address.ts';
import { readConfig } from '../../domain/schemas/read-config.ts';
import { INVARIANTS } from '../../services/audit/index.ts';
import { createEngine } from '../../temporal/client.ts';
import { temporalConfig } from '../../temporal/config.ts';
import { stackEnv } from '../shared/stack-env.ts';

/**
 * `npm run audit -- [--acknowledged FILE]`: checks on the running service what must hold whenever it is at rest, and
 * prints what breaks it. FILE has a line `{"file_id", "sha256"}` for each file that a client was told is stored. Ends
 * with 0 when all holds, 1 when something is broken, 2 when it could not look.
 */
const SHOWN = 20;

const { values } = parseArgs({ options: { acknowledged: { type: 'string' } } });
const env = stackEnv(process.env);
if (!env) {
  console.error(
    'Nothing to audit: start the stack with npm start, or set DATABASE_URL and the other settings.',
  );
  process.exit(2);
}
const config = readConfig([databaseConfig, temporalConfig, s3Config, vectorConfig, apiAddress], env);
const orm = createOrm(config);
const engine = createEngine(config);
const vectors = createVectorIndex(config, IMAGE_COLLECTION);
const deps = {
  em: () => orm.em.fork(),
  engine,
  objects: createS3ObjectStore(config),
  vectors,
  acknowledged: values.acknowledged ? readAcknowledged(values.acknowledged) : [],
  metrics,
};

let broken = 0;
try {
  for (const invariant of INVARIANTS) {
    const { id, title } = invariant;
    const began = performance.now();
    let breaches = 0;
    for await (const breach of invariant.check(deps)) {
      breaches += 1;
      if (breaches <= SHOWN) console.log(`      ${breach}`);
    }
    broken += breaches;
    const verdict = breaches === 0 ? 'holds' : `BROKEN ${breaches} times`;
    console.log(`${id.padEnd(4)} ${verdict}: ${title} (${Math.round(performance.now() - began)} ms)`);
  }
  console.log(broken === 0 ? 'All invariants hold.' : `${broken} breaches.`);
  process.exitCode = broken === 0 ? 0 : 1;
} catch (error) {
  console.error('The audit could not be finished:', error);
  process.exitCode = 2;
} finally {
  await vectors.close();
  await engine.close();
  await orm.close(true);
}

function readAcknowledged(file: string): { fileId: string; sha256: string }[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const { file_id: fileId, sha256 } = JSON.parse(line) as { file_id: string; sha256: string };
      return { fileId, sha256 };
    });
}

async function metrics(): Promise<string> {
  const answer = await fetch(`${originOf(config.HOST, config.PORT)}/metrics`, {
    signal: AbortSignal.timeout(10_000),
  });
  return answer.text();
}
