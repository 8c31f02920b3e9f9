import { readFileSync } from 'node:fs';
import { createSecretCipher } from '../../adapters/encryption/secret-cipher.ts';
import { createImageEmbedding } from '../../adapters/models/image-embedding/create-image-embedding.ts';
import { createTextEmbedding } from '../../adapters/models/text-embedding/create-text-embedding.ts';
import { createS3ObjectStore } from '../../adapters/object-store/s3-object-store.ts';
import { createVectorIndex } from '../../adapters/vector-index/create-vector-index.ts';
import { API_SETTINGS } from '../../api/settings.ts';
import { createOrm } from '../../db/create-orm.ts';
import { originOf } from '../../domain/schemas/addresses.ts';
import { readConfig } from '../../domain/schemas/read-config.ts';
import { INVARIANTS } from '../../services/audit/index.ts';
import type { AuditDeps } from '../../services/audit/invariant.ts';
import { chunkCollection } from '../../services/documents/index-chunks.ts';
import { imageCollection } from '../../services/images/served-images.ts';
import { createTenantStores } from '../../services/storage/tenant-stores.ts';
import { createEngine } from '../../temporal/client.ts';
import { UsageError } from '../shared/usage-error.ts';
import { readFlags } from '../shared/flags.ts';
import { runCommand } from '../shared/run-command.ts';
import { stackEnv } from '../shared/stack-env.ts';
import { fetchFromProcess } from '../../dev/processes/fetch-from-process.ts';

const HELP = `Usage: npm run audit -- [--acknowledged FILE]

Checks the invariants of an idle service and prints each breach as it is found. FILE has a line {"file_id", "sha256"} for each file
whose upload was acknowledged.

Exit code: 0 no breaches, 1 at least one breach, 2 the audit could not be completed.`;
const METRICS_WITHIN_MS = 10_000;

await runCommand(HELP, async () => {
  const given = readFlags(process.argv.slice(2), { acknowledged: { type: 'string' } });
  if (!given) return undefined;
  const env = stackEnv(process.env);
  if (!env) {
    throw new UsageError(
      'No stack to audit: run npm start, or set DATABASE_URL and the other settings of the API.',
    );
  }
  const { acknowledged } = given.values;
  const config = readConfig(API_SETTINGS, env);
  const orm = createOrm(config);
  const engine = createEngine(config);
  const imageEmbedding = await createImageEmbedding(config);
  const vectors = createVectorIndex(config, imageCollection(imageEmbedding));
  const textEmbedding = await createTextEmbedding(config);
  const chunkVectors = createVectorIndex(config, chunkCollection(textEmbedding));
  try {
    const breaches = await audit({
      em: () => orm.em.fork(),
      engine,
      objects: createTenantStores({
        orm,
        main: createS3ObjectStore(config),
        cipher: createSecretCipher(config),
        guard: config.OUTBOUND_ALLOWED_NETWORKS,
      }),
      vectors,
      imageModel: imageEmbedding.model,
      chunkVectors,
      acknowledged: acknowledged ? readAcknowledged(acknowledged) : [],
      metrics: () => readMetrics(originOf(config.HOST, config.PORT)),
    });
    console.log(breaches === 0 ? 'All invariants hold.' : `${breaches} breaches.`);
    return breaches === 0 ? 0 : 1;
  } finally {
    await chunkVectors.close();
    await vectors.close();
    await engine.close();
    await orm.close(true);
  }
});

/** Prints a line per invariant and its breaches. Returns the total number of breaches. */
async function audit(deps: AuditDeps): Promise<number> {
  let broken = 0;
  for (const invariant of INVARIANTS) {
    const { id, title } = invariant;
    const began = performance.now();
    let breaches = 0;
    for await (const breach of invariant.check(deps)) {
      breaches += 1;
      console.log(`${id.padEnd(4)} breach: ${breach}`);
    }
    broken += breaches;
    const outcome = breaches === 0 ? 'holds' : `BROKEN ${breaches} times`;
    console.log(`${id.padEnd(4)} ${outcome}: ${title} (${Math.round(performance.now() - began)} ms)`);
  }
  return broken;
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

async function readMetrics(origin: string): Promise<string> {
  const answer = await fetchFromProcess(origin, '/metrics', METRICS_WITHIN_MS).catch((cause: unknown) => {
    throw new UsageError(`The API at ${origin} cannot be reached.`, { cause });
  });
  return answer.text();
}
