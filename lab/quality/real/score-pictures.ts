import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { contentOf, type Content } from '../../../adapters/models/sight/content-words.ts';
import { createSight } from '../../../adapters/models/sight/sight.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { renderImage } from '../../../engines/image-decoder/render-image.ts';
import { onnxConfig } from '../../../engines/onnx/config.ts';
import { unpackDebian } from '../systems/debian-packages.ts';

/** Photographs of single things, each with a sentence that says what it is. */
const PACKAGE = 'tuxpaint-stamps-default';
const STAMPS = 'usr/share/tuxpaint/stamps';
const KINDS = 'animals,clothes,food,hobbies,household,medical,people,plants,sports,town,vehicles';
const DRAWN = /cartoon|roadsigns|flags|dinosaur|arttools|_mirror/;

/** Other words that are right for pictures whose path or sentence has one of these. */
const ALSO: readonly (readonly [RegExp, readonly string[]])[] = [
  [/animals\/birds/, ['bird']],
  [/animals\/fish|\bgroper/, ['fish']],
  [/animals\/insects/, ['insect', 'butterfly', 'isopod']],
  [/animals\/.*(?:tiger|lion)/, ['big cat']],
  [/dingo/, ['dog', 'wild dog']],
  [/pig|boar/, ['pig']],
  [/goat/, ['sheep']],
  [/bull|zebu|yak/, ['cow', 'cattle']],
  [/edward_bear/, ['teddy bear']],
  [/fruit\//, ['fruit']],
  [/mandarine/, ['orange']],
  [/vegetables\//, ['vegetable']],
  [/flowers\//, ['flower', 'plant']],
  [/fire ?man/, ['person']],
  [/music\//, ['musical instrument']],
  [/camera/, ['reflex camera', 'electronics']],
  [/toilet/, ['toilet seat', 'furniture']],
  [/bandage/, ['Band Aid']],
  [/sports\/.*ball|sports\/soccer/, ['ball', 'soccer ball']],
  [/truck/, ['truck', 'fire engine', 'garbage truck']],
  [/747|airplane/, ['airplane', 'aircraft']],
];

export interface MeasureOptions {
  env: NodeJS.ProcessEnv;
  stop: AbortSignal;
  /** Called with what is measured next. */
  progress: (what: string) => void;
}

/** A photograph that the project did not make. */
export interface RealPicture {
  /** Its path, and the sentence that says what it shows. */
  truth: string;
  bytes: () => Buffer;
}

export interface PictureScores {
  pictures: number;
  tagged: number;
  tags: number;
  /** Pictures with their sentence and the tag that it does not carry. */
  wrong: string[];
}

/**
 * Scores what the models of the service say of photographs that the project did not make: a tag is right if the sentence of the
 * picture has it, or its folder means it.
 *
 * @throws Error without the models, or without the package
 */
export async function scorePictures(
  split: 'development' | 'held-out',
  { env, stop: signal, progress }: MeasureOptions,
): Promise<PictureScores> {
  const sight = createSight(readConfig([onnxConfig], env));
  if (!sight.isThere()) throw new Error('the models of images are missing: run npm run models');
  const scores: PictureScores = { pictures: 0, tagged: 0, tags: 0, wrong: [] };
  try {
    for (const { truth, bytes } of await stampsOf(split)) {
      progress(truth);
      const said = await look(bytes());
      const words = new Set([...said.objects.map(({ label }) => label), ...said.looksLike]);
      scores.pictures += 1;
      scores.tagged += words.size > 0 ? 1 : 0;
      scores.tags += words.size;
      for (const word of words) if (!isRight(word, truth)) scores.wrong.push(`${truth} ${word}`);
    }
    return scores;
  } finally {
    await sight.close();
  }

  async function look(bytes: Uint8Array): Promise<Content> {
    const { variants, facts } = await renderImage(bytes);
    const large = variants.find(({ type }) => type === 'large_1024');
    const seen = large && (await sight.see(large.bytes, { signal }));
    return seen ? contentOf(seen, { graphic: facts.look !== 'photograph' }) : { objects: [], looksLike: [] };
  }
}

/** The photographs of one half. @throws Error without the package */
async function stampsOf(split: 'development' | 'held-out'): Promise<RealPicture[]> {
  const folder = join(await unpackDebian(PACKAGE, [PACKAGE]), STAMPS);
  const paths = globSync(`{${KINDS}}/**/*.png`, { cwd: folder }).filter((path) => !DRAWN.test(path));
  return paths
    .filter((path) => isHeldOut(path) === (split === 'held-out'))
    .toSorted()
    .map((path) => {
      const [sentence = ''] = readFileSync(join(folder, path.replace(/png$/, 'txt')), 'utf8').split('\n');
      return { truth: `${path} ${sentence}`, bytes: () => readFileSync(join(folder, path)) };
    });
}

const isHeldOut = (path: string): boolean => (createHash('sha256').update(path).digest()[0] ?? 0) % 2 === 1;

function isRight(word: string, truth: string): boolean {
  const lower = truth.toLowerCase();
  return (
    lower.includes(word.toLowerCase()) ||
    ALSO.some(([kind, words]) => kind.test(lower) && words.includes(word))
  );
}

export function reportPictures({ pictures, tagged, tags, wrong }: PictureScores): string {
  const share = tags === 0 ? 0 : (100 * wrong.length) / tags;
  return [
    ...wrong.map((each) => `wrong: ${each}`),
    `${pictures} pictures, ${tagged} with tags, ${wrong.length} of ${tags} tags wrong (${share.toFixed(1)} %, goal ≤ 5 %)`,
  ].join('\n');
}
