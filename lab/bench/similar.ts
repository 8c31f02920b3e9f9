import { imageCollection } from '../../services/images/served-images.ts';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connect } from '@lancedb/lancedb';
import sharp from 'sharp';
import { renderImage } from '../../adapters/image-decoder/render-image.ts';
import {
  createLocalEmbedding,
  LOCAL_IMAGE_MODEL,
} from '../../adapters/models/image-embedding/local-embedding.ts';
import { createLanceDbIndex } from '../../adapters/vector-index/lancedb-index.ts';
import type { VectorIndex, VectorPoint } from '../../adapters/vector-index/vector-index.ts';
import { type BenchContext, packageVersion } from './context.ts';
import { copiesOf, createDice, distractors } from './image-copies.ts';
import { interleave, milliseconds, spread, goalResult } from './statistics.ts';

const DISTRACTORS = 300;
const FOUND = 10;
/** Vectors in the index of the timed search, half of which belong to another tenant. */
const CROWD = 10_000;
const SEARCHES = 30;
const RECALL_GOAL = { least: 0.95 };
const ADDED_GOAL = { most: 5 };

/**
 * S2: recall of a search for an image among ten generated copies of each photograph and 300 distractors. Also the
 * overhead of the index adapter compared with its client, as in S1.
 */
export async function run({ rounds, photographs, progress }: BenchContext): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-bench-'));
  const index = createLanceDbIndex({ path: folder, ...imageCollection(LOCAL_IMAGE_MODEL) });
  try {
    return [
      ...(await measureRecall(index, await readPhotographs(photographs), progress)),
      ...(await measureSearch(index, folder, rounds, progress)),
    ];
  } finally {
    await index.close();
    await rm(folder, { recursive: true, force: true });
  }
}

interface Photograph {
  name: string;
  png: Uint8Array;
}

/** Photographs of a folder, or the samples; files that cannot be decoded are skipped. */
async function readPhotographs(
  folder = fileURLToPath(new URL('../../dev/samples/', import.meta.url)),
): Promise<Photograph[]> {
  const photographs: Photograph[] = [];
  for (const name of (await readdir(folder)).toSorted()) {
    if (!/\.(jpe?g|png|webp)$/i.test(name)) continue;
    const image = sharp(await readFile(join(folder, name))).autoOrient();
    const png = await image.flatten({ background: '#fff' }).toColourspace('srgb').png().toBuffer();
    const { width, height } = await sharp(png).metadata();
    // Smaller images are icons, which have no detail left at a quarter of their size.
    if (Math.min(width, height) >= 100) photographs.push({ name, png });
  }
  return photographs;
}

async function measureRecall(
  index: VectorIndex,
  photographs: Photograph[],
  progress: (text: string) => void,
): Promise<string[]> {
  const embedding = createLocalEmbedding();
  const embedMs: number[] = [];
  const { signal } = new AbortController();
  /** Computed from the variant of the uploaded image, as in production. */
  const embed = async (bytes: Uint8Array) => {
    const { variants } = await renderImage(bytes);
    const variant = variants.find(({ type }) => type === 'small_256')?.bytes ?? new Uint8Array();
    let vector: number[] | null = null;
    embedMs.push(
      await milliseconds(async () => ([vector = null] = await embedding.embed([variant], { signal }))),
    );
    if (!vector) throw new Error('a variant cannot be read');
    return vector;
  };

  const tenantId = randomUUID();
  const known = new Map<string, { of: string; kind: string }>();
  const made = await distractors(
    photographs.map(({ png }) => png),
    DISTRACTORS,
    createDice(),
  );
  const copies = (await Promise.all(photographs.map(({ name, png }) => copiesOf(name, png)))).flat();
  const points: VectorPoint[] = [];
  for (const [i, { bytes, ...image }] of [...copies, ...made].entries()) {
    progress(`embedding ${i} of ${copies.length + made.length}`);
    const id = randomUUID();
    known.set(id, image);
    points.push({ id, fileId: id, tenantId, kind: 'image', vector: await embed(bytes) });
  }
  await index.upsert(points);

  const recalls: number[] = [];
  const missed = new Map<string, number>();
  for (const { name, png } of photographs) {
    const hits = await index.search({ vector: await embed(png), tenantId, limit: FOUND });
    const found = hits.flatMap(({ fileId }) => known.get(fileId) ?? []).filter(({ of }) => of === name);
    const wanted = copies.filter(({ of }) => of === name);
    recalls.push(found.length / wanted.length);
    for (const { kind } of wanted) {
      if (!found.some((hit) => hit.kind === kind)) missed.set(kind, (missed.get(kind) ?? 0) + 1);
    }
  }
  const recall = recalls.reduce((sum, share) => sum + share, 0) / recalls.length;
  const misses = [...missed].map(([kind, count]) => `${kind} ${count}×`).join(', ') || 'none';
  return [
    `S2 recall@${FOUND} of ten copies of ${photographs.length} photographs among ${made.length} distractors: ${recall.toFixed(3)}, ${goalResult([recall], RECALL_GOAL)}`,
    `S2 … missed: ${misses}`,
    `S2 … one embedding (${LOCAL_IMAGE_MODEL.dimension} dimensions): ${spread(embedMs, 1)} ms`,
  ];
}

async function measureSearch(
  index: VectorIndex,
  folder: string,
  rounds: number,
  progress: (text: string) => void,
): Promise<string[]> {
  const dice = createDice(11);
  const tenants = [randomUUID(), randomUUID()];
  const vector = () => Array.from({ length: LOCAL_IMAGE_MODEL.dimension }, () => dice() - 0.5);
  const points = Array.from({ length: CROWD }, (_, i): VectorPoint => {
    const id = randomUUID();
    return { id, fileId: id, tenantId: tenants[i % 2] ?? '', kind: 'image', vector: vector() };
  });
  progress(`writing ${CROWD} vectors`);
  await index.upsert(points);

  const [tenantId = ''] = tenants;
  const client = await connect(folder, { readConsistencyInterval: 0 });
  const table = await client.openTable(imageCollection(LOCAL_IMAGE_MODEL).collection);
  const many = async (search: (query: number[]) => Promise<unknown>) => {
    const times: number[] = [];
    for (let i = 0; i < SEARCHES; i++) {
      const query = vector();
      times.push(await milliseconds(() => search(query)));
    }
    return times.toSorted((a, b) => a - b)[SEARCHES >> 1] ?? NaN;
  };
  const p50 = await interleave(
    rounds,
    {
      ours: () => many((query) => index.search({ vector: query, tenantId, limit: 20 })),
      bare: () =>
        many((query) =>
          table
            .vectorSearch(query)
            .distanceType('cosine')
            .where(`tenantId = '${tenantId}'`)
            .select(['id', 'fileId', '_distance'])
            .limit(20)
            .toArray(),
        ),
    },
    progress,
  );
  const lookUp = await many(() => index.find({ tenantId, id: points[0]?.id ?? '' }));
  table.close();
  client.close();
  const added = p50.ours.map((ms, round) => ms - (p50.bare[round] ?? NaN));
  return [
    `S1 image search p50 in ${CROWD} vectors − the client alone (${packageVersion('@lancedb/lancedb')}): ${spread(added, 1)} ms, ${goalResult(added, ADDED_GOAL)}`,
    `S1 … ours ${spread(p50.ours, 1)} ms, theirs ${spread(p50.bare, 1)} ms; looking up the image's own vector ${lookUp.toFixed(1)} ms`,
  ];
}
