import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { ModelWork } from '../../../adapters/models/vision/model-work.ts';
import { createLocalVision } from '../../../adapters/models/vision/local-vision.ts';
import { createImageEmbedding } from '../../../adapters/models/image-embedding/create-image-embedding.ts';
import { imageEmbeddingConfig } from '../../../adapters/models/image-embedding/config.ts';
import type { ImageEmbedding } from '../../../adapters/models/image-embedding/image-embedding.ts';
import { createSight, type Sight } from '../../../adapters/models/sight/sight.ts';
import { createLanceDbIndex } from '../../../adapters/vector-index/lancedb-index.ts';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { Tenant } from '../../../db/entities/accounts/tenant.ts';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { startDisposableStack } from '../../../dev/launcher/disposable-stack.ts';
import { PROJECT_ROOT } from '../../../dev/project-root.ts';
import type { VariantType } from '../../../domain/image-analysis.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { renderImage } from '../../../engines/image-decoder/render-image.ts';
import { onnxConfig } from '../../../engines/onnx/config.ts';
import { SearchDeadline } from '../../../services/files/search-deadline.ts';
import { findFilesByText } from '../../../services/images/find-files-by-text.ts';
import { pointId } from '../../../services/images/index-images.ts';
import { imageCollection } from '../../../services/images/served-images.ts';
import { unpackDebian } from '../systems/debian-packages.ts';
import { readQtResource } from './qt-resource.ts';
import type { MeasureOptions, RealPicture } from './score-pictures.ts';

/** Photographs of a program for children, by the names of their files: animals, tools and things. */
const PACKAGE = 'gcompris-qt-data';
const ACTIVITIES = ['erase', 'explore_farm_animals', 'explore_world_animals', 'categorization'];
const PHOTOGRAPH =
  /(?:erase\/resource|animals\/resource\/animals|categorization\/resource\/images\/(?:others|tools|renewable))\/\w+\.webp$/;
/** Smaller files are drawings. */
const LEAST_BYTES = 15_000;

/** What people type, and the names of the pictures of which it is true. Everything was chosen on the development queries. */
const QUERIES = {
  development: [
    ['kitty', /cat\b|kitten|chelsea/],
    ['cow', /cow|calf/],
    ['horse', /horse/],
    ['sheep', /sheep/],
    ['bird', /heron|kingfisher|harrier|spoonbill|swan|toucan|chicken|duck|owl|macaw|penguin|gosling/],
    ['butterfly', /butterfly/],
    ['giraffe', /giraffe/],
    ['monkey', /monkey|macaque/],
    ['panda', /panda/],
    ['coffee', /coffee/],
    ['rocket', /rocket/],
    ['person', /astronaut|windmill4/],
    ['hammer', /hammer/],
    ['chair', /chair/],
    ['crab', /crab/],
    ['squirrel', /squirrel/],
    ['camel', /camel/],
    ['penguin', /penguin/],
    ['parrot', /macaw/],
    ['ball', /ball/],
  ],
  'held-out': [
    ['doggy', /dog/],
    ['pig', /pig/],
    ['duck', /duck|gosling/],
    ['owl', /owl/],
    ['insect', /bee|butterfly|caterpillar/],
    ['big cat', /cheetah|jaguar/],
    ['ape', /gorilla|gibbon/],
    ['crocodile', /crocodile/],
    ['lizard', /chamaeleon|chameleon|dragon/],
    ['windmill', /windmill/],
    ['solar panel', /solar/],
    ['scissors', /scissors/],
    ['light bulb', /bulb/],
    ['spoon', /spoons/],
    ['bucket', /bucket/],
    ['koala bear', /koala/],
    ['polar bear', /polar_bear/],
    ['kangaroo', /kangaroo/],
    ['woman', /astronaut/],
    ['cup', /coffee/],
  ],
} satisfies Record<string, [string, RegExp][]>;
/** Development queries in other languages. */
const FOREIGN: readonly (readonly [string, RegExp])[] = [
  ['Katze', /cat\b|kitten|chelsea/],
  ['chien', /dog/],
  ['Pferd', /horse/],
  ['caballo', /horse/],
  ['oiseau', /heron|kingfisher|harrier|spoonbill|swan|toucan|chicken|duck|owl|macaw|penguin|gosling/],
  ['Hammer', /hammer/],
  ['Schmetterling', /butterfly/],
  ['vaca', /cow|calf/],
  ['mouton', /sheep/],
  ['ein Stuhl', /chair/],
  ['кошка', /cat\b|kitten|chelsea/],
  ['собака', /dog/],
];
/** Development queries that no picture fits. */
const NOTHING =
  'wedding,passport,snowman,helicopter,beach,invoice,train station,sunset over the sea,piano,swimming pool,quarterly report,contract,sushi,telephone,football match,skyscraper,birthday cake,submarine,xylophone,baby'.split(
    ',',
  );

const run = promisify(execFile);
const SAMPLES = new URL('../../../dev/samples/', import.meta.url);
const LIMIT = 10;
const TIMEOUT_MS = 30_000;

/**
 * Describes photographs as the service does without an endpoint, and finds them by everyday words with its search.
 *
 * @returns how many queries have a right picture first; of the development queries also which do not
 * @throws Error without the models, or without the package of the pictures
 */
export async function scoreQueries(half: keyof typeof QUERIES, options: MeasureOptions): Promise<string> {
  const { env, stop: signal } = options;
  const pictures = [...(await photographs()), ...samples()];
  const config = readConfig([onnxConfig, imageEmbeddingConfig], env);
  const sight = createSight(config);
  if (!sight.isThere()) throw new Error('the models of images are missing: run npm run models');
  const embedding = await createImageEmbedding(config, { sight });
  const stack = await startDisposableStack(env, { apps: false, signal });
  const orm = createOrm(databaseConfig.parse(stack.env));
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-queries-'));
  const vectors = createLanceDbIndex({ path: folder, ...imageCollection(embedding) });
  try {
    await run(process.execPath, [join(PROJECT_ROOT, 'db', 'migrate.ts')], {
      env: { ...env, ...stack.env },
      signal,
    });
    const tenant = { id: randomUUID(), name: 'quality', tier: 'enterprise' as const, createdAt: new Date() };
    const tenantId = tenant.id;
    await orm.em.fork().insert(Tenant, tenant);
    const names = new Map<string, string>();
    for (const [index, picture] of pictures.entries()) {
      const { vector, ...said } = await look(picture, { sight, embedding }, options);
      const fileId = await insertImage(orm.em.fork(), tenantId, index, said);
      names.set(fileId, picture.truth);
      const point = { id: pointId(fileId, embedding.model), tenantId, fileId, kind: 'image', vector };
      await vectors.upsert([point]);
    }
    const findFirst = async (query: string): Promise<string> => {
      const deps = {
        em: orm.em.fork(),
        embedding,
        vectors,
        onDegraded: (error: unknown) => {
          throw error;
        },
      };
      const words = { tenantId, query, mediaTypes: ['image'] as const };
      const { hits } = await findFilesByText(deps, words, LIMIT, new SearchDeadline(TIMEOUT_MS));
      return names.get(hits[0]?.file.id ?? '') ?? 'nothing';
    };
    const lines: string[] = [];
    const countRight = async (asked: readonly (readonly [string, RegExp])[]): Promise<string> => {
      let right = 0;
      for (const [query, truth] of asked) {
        const best = await findFirst(query);
        if (truth.test(best)) right += 1;
        // Nobody works on what the others find.
        else if (half === 'development') lines.push(`  ${query}: ${best}`);
      }
      return `${right} of ${asked.length}`;
    };
    lines.push(
      `${half}: ${await countRight(QUERIES[half])} everyday queries over ${pictures.length} photographs have a right one first (goal 16)`,
    );
    if (half === 'development') {
      lines.push(`in other languages: ${await countRight(FOREIGN)}`);
      lines.push(
        `of what no picture shows: ${await countRight(NOTHING.map((query) => [query, /^nothing$/]))} find nothing`,
      );
    }
    return lines.join('\n');
  } finally {
    await vectors.close();
    await embedding.close();
    await orm.close(true);
    await stack.stop({ keepData: false });
    await rm(folder, { recursive: true, force: true });
  }
}

async function photographs(): Promise<RealPicture[]> {
  const folder = join(await unpackDebian(PACKAGE, [PACKAGE]), 'usr/share/gcompris-qt/rcc');
  return ACTIVITIES.flatMap((activity) =>
    [...readQtResource(join(folder, `${activity}.rcc`))]
      .filter(([path, bytes]) => PHOTOGRAPH.test(path) && bytes.byteLength >= LEAST_BYTES)
      .map(([path, bytes]) => ({ truth: basename(path), bytes: () => bytes })),
  );
}

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

interface Eyes {
  sight: Sight;
  embedding: ImageEmbedding;
}

async function look(
  { bytes, truth }: RealPicture,
  { sight, embedding }: Eyes,
  { stop: signal, progress }: MeasureOptions,
): Promise<Said & { vector: number[] }> {
  progress(truth);
  const { variants, facts, width, height, format } = await renderImage(bytes());
  const variant = (wanted: VariantType) => {
    const found = variants.find(({ type }) => type === wanted);
    if (!found) throw new Error(`${truth} has no ${wanted} variant`);
    return found;
  };
  const large = variant('large_1024');
  const image = async () => ({ bytes: large.bytes, contentType: large.contentType });
  const input = { image, facts, width, height, format, filename: '', contentCategory: 'general' };
  const model = createLocalVision({} as ModelWork, sight);
  const { description, tags } = await model.describe(input, { signal });
  const [vector] = await embedding.embed([variant(embedding.variant).bytes], { signal });
  return { description, tags, vector: vector ?? [] };
}

async function insertImage(em: EntityManager, tenantId: string, index: number, said: Said): Promise<string> {
  const id = randomUUID();
  const now = new Date();
  await em.insert(StoredFile, {
    id,
    tenantId,
    mediaType: 'image',
    contentType: 'image/jpeg',
    format: 'jpeg',
    filename: `IMG_${1000 + index}.jpg`,
    tags: said.tags,
    uploadDescription: said.description,
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
