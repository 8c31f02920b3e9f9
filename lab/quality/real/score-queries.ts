import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { ModelWork } from '../../../adapters/models/vision/model-work.ts';
import { createLocalVision } from '../../../adapters/models/vision/local-vision.ts';
import { createSight } from '../../../adapters/models/sight/sight.ts';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { Tenant } from '../../../db/entities/accounts/tenant.ts';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { startDisposableStack } from '../../../dev/launcher/disposable-stack.ts';
import { PROJECT_ROOT } from '../../../dev/project-root.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { renderImage } from '../../../engines/image-decoder/render-image.ts';
import { onnxConfig } from '../../../engines/onnx/config.ts';
import { SearchDeadline } from '../../../services/files/search-deadline.ts';
import { findFilesByWords } from '../../../services/images/find-files-by-words.ts';
import { type MeasureOptions, stampsOf, type RealPicture } from './score-pictures.ts';

/** What people type, and of which of the pictures it is true, by path and sentence. Mended on the first, scored on both. */
const QUERIES: Record<'development' | 'held-out', readonly (readonly [string, RegExp])[]> = {
  development: [
    ['kitty', /chelsea/],
    ['puppy', /dogs\/(?:dog|dingo)/],
    ['car', /auto\/|truck/],
    ['plane', /747/],
    ['bird', /birds\//],
    ['flower', /flowers?\b/],
    ['strawberry', /strawberry/],
    ['pizza', /pizza/],
    ['fiddle', /violin|cello/],
    ['guitar', /guitar/],
    ['teapot', /teapot/],
    ['coffee', /coffee/],
    ['bear', /bears\//],
    ['fruit', /fruit\//],
    ['mushroom', /mushroom|cep\b/],
    ['lorry', /truck/],
    ['spaceship', /rocket/],
    ['hat', /hats\/|cap\b/],
    ['cow', /cow|bull\b/],
    ['sheep', /sheep|ram\b/],
  ],
  'held-out': [
    ['doggy', /dogs\/(?:dog|dingo)/],
    ['automobile', /auto\/|truck/],
    ['aeroplane', /747/],
    ['insect', /insects\/(?!Brown_slug)/],
    ['blossom', /flowers?\b/],
    ['apple', /apple/],
    ['pineapple', /pineapple/],
    ['broccoli', /broccoli/],
    ['drums', /drum/],
    ['toilet', /toilet/],
    ['cup of coffee', /coffee|mug/],
    ['fire truck', /fire ?truck/],
    ['pig', /pig|boar/],
    ['frog', /frog/],
    ['sailboat', /ship\//],
    ['camera', /camera/],
    ['zebra', /zebra/],
    ['vegetables', /vegetables\/|lettuce/],
    ['bunny', /rabbit/],
    ['musical instrument', /music\//],
  ],
};

const run = promisify(execFile);
const SAMPLES = new URL('../../../dev/samples/', import.meta.url);
const LIMIT = 10;
const TIMEOUT_MS = 30_000;

/**
 * Describes the development pictures as the service does without an endpoint, and finds them by everyday words with its search.
 *
 * @returns how many queries have a right picture first; of the development queries also which do not
 * @throws Error without the models, or without the package of the pictures
 */
export async function scoreQueries(
  half: 'development' | 'held-out',
  options: MeasureOptions,
): Promise<string> {
  const { env, stop: signal } = options;
  const pictures = [...(await stampsOf('development')), ...samples()];
  const said = await describeAll(pictures, options);
  const stack = await startDisposableStack(env, { apps: false, signal });
  const orm = createOrm(databaseConfig.parse(stack.env));
  try {
    await run(process.execPath, [join(PROJECT_ROOT, 'db', 'migrate.ts')], {
      env: { ...env, ...stack.env },
      signal,
    });
    const tenant = { id: randomUUID(), name: 'quality', tier: 'enterprise' as const, createdAt: new Date() };
    await orm.em.fork().insert(Tenant, tenant);
    const names = new Map<string, string>();
    for (const [index, picture] of pictures.entries())
      names.set(await insertImage(orm.em.fork(), tenant.id, index, said[index]), picture.truth);
    const lines: string[] = [];
    let first = 0;
    for (const [query, right] of QUERIES[half]) {
      const words = { tenantId: tenant.id, query, mediaTypes: ['image'] as const };
      const found = await orm.em
        .fork()
        .transactional((tx) => findFilesByWords(tx, words, LIMIT, new SearchDeadline(TIMEOUT_MS)));
      const best = names.get(found[0] ?? '');
      if (best !== undefined && right.test(best)) first += 1;
      else lines.push(`  ${query}: ${best ?? 'nothing'}`);
    }
    return [
      ...(half === 'development' ? lines : []),
      `${first} of ${QUERIES[half].length} everyday queries over ${pictures.length} pictures have a right one first (goal 16 of 20)`,
    ].join('\n');
  } finally {
    await orm.close(true);
    await stack.stop({ keepData: false });
  }
}

/** Photographs of whole scenes, beside those of single things. */
function samples(): RealPicture[] {
  return ['astronaut.webp', 'chelsea.jpg', 'coffee.jpg', 'rocket.jpg'].map((name) => ({
    truth: name,
    bytes: () => readFileSync(new URL(name, SAMPLES)),
  }));
}

interface Said {
  description: string;
  tags: string[];
}

async function describeAll(
  pictures: readonly RealPicture[],
  { env, stop: signal, progress }: MeasureOptions,
): Promise<Said[]> {
  const sight = createSight(readConfig([onnxConfig], env));
  if (!sight.isThere()) throw new Error('the models of images are missing: run npm run models');
  const model = createLocalVision({} as ModelWork, sight);
  const said: Said[] = [];
  try {
    for (const { bytes, truth } of pictures) {
      progress(truth);
      const { variants, facts, width, height, format } = await renderImage(bytes());
      const large = variants.find(({ type }) => type === 'large_1024');
      if (!large) throw new Error(`${truth} has no large variant`);
      const image = async () => ({ bytes: large.bytes, contentType: large.contentType });
      const input = { image, facts, width, height, format, filename: '', contentCategory: 'general' };
      const { description, tags } = await model.describe(input, { signal });
      said.push({ description, tags });
    }
    return said;
  } finally {
    await sight.close();
  }
}

async function insertImage(em: EntityManager, tenantId: string, index: number, said?: Said): Promise<string> {
  const id = randomUUID();
  const now = new Date();
  await em.insert(StoredFile, {
    id,
    tenantId,
    mediaType: 'image',
    contentType: 'image/jpeg',
    format: 'jpeg',
    filename: `IMG_${1000 + index}.jpg`,
    tags: said?.tags ?? [],
    uploadDescription: said?.description ?? null,
    contentCategory: 'general',
    sizeBytes: 1,
    sha256: '0'.repeat(64),
    objectKey: id,
    options: { autoDescribe: true, skipDuplicates: false },
    generation: 1,
    seq: 1,
    components: {},
    primaryStatus: 'completed',
    createdAt: now,
    updatedAt: now,
  });
  return id;
}
