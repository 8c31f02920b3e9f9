import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
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
import { findFilesByWords } from '../../../services/images/find-files-by-text.ts';
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

/** What people type, and the names of the pictures of which it is true. The words of tags were chosen on the first. */
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
export async function scoreQueries(options: MeasureOptions): Promise<string> {
  const { env, stop: signal } = options;
  const pictures = [...(await photographs()), ...samples()];
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
    const findFirst = async (query: string): Promise<string> => {
      const words = { tenantId: tenant.id, query, mediaTypes: ['image'] as const };
      const [best = ''] = await orm.em
        .fork()
        .transactional((tx) => findFilesByWords(tx, words, LIMIT, new SearchDeadline(TIMEOUT_MS)));
      return names.get(best) ?? 'nothing';
    };
    const lines: string[] = [];
    for (const half of ['development', 'held-out'] as const) {
      let right = 0;
      for (const [query, truth] of QUERIES[half]) {
        const best = await findFirst(query);
        if (truth.test(best)) right += 1;
        // Nobody works on what the others find.
        else if (half === 'development') lines.push(`  ${query}: ${best}`);
      }
      const { length } = QUERIES[half];
      lines.push(
        `${half}: ${right} of ${length} everyday queries over ${pictures.length} photographs have a right one first (goal 16)`,
      );
    }
    return lines.join('\n');
  } finally {
    await orm.close(true);
    await stack.stop({ keepData: false });
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
