import { readFile } from 'node:fs/promises';
import { createPassageRanker } from '../../adapters/models/passage-ranking/passage-ranker.ts';
import { createSight } from '../../adapters/models/sight/sight.ts';
import {
  createLocalTextEmbedding,
  createPairedTextEmbedding,
} from '../../adapters/models/text-embedding/local-text-embedding.ts';
import type { TextEmbedding } from '../../adapters/models/text-embedding/text-embedding.ts';
import { readConfig } from '../../domain/schemas/read-config.ts';
import { greyImage } from '../../engines/image-decoder/render-view.ts';
import { findSentenceModels } from '../../engines/models/catalogue.ts';
import { onnxConfig } from '../../engines/onnx/config.ts';
import { createPpocrRecogniser, findTextModels } from '../../engines/text-recogniser/ppocr-recogniser.ts';
import { createTesseractRecogniser } from '../../engines/text-recogniser/tesseract-recogniser.ts';
import type { TextRecogniser } from '../../engines/text-recogniser/text-recogniser.ts';
import { MIB } from './upload-client.ts';

const [, , name = '', rounds = '', MODELS_DIR = ''] = process.argv;
const config = readConfig([onnxConfig], { MODELS_DIR });
const { signal } = new AbortController();
const PASSAGE_LETTERS = 650;
const QUESTION = 'Who paid for the moorings?';
const TEXT_SIDE = 1280;

/** Calls by name, which load what they need with the first one. */
const CALLS: Record<string, () => Promise<() => Promise<unknown>>> = {
  async picture() {
    const picture = await readFile(new URL('../../dev/samples/coffee.jpg', import.meta.url));
    const sight = createSight(config);
    return () => sight.see(picture, { signal });
  },
  text: () =>
    reading(
      createPpocrRecogniser({ ...RECOGNITION, models: () => findTextModels(config), fallback: tesseract() }),
    ),
  'text by Tesseract': () => reading(tesseract()),
  passage: () => embedding(pair(), 'passage'),
  question: () => embedding(pair(), 'query'),
  'passage by the bundled model': () => embedding(createLocalTextEmbedding(), 'passage'),
  async rating() {
    const ranker = createPassageRanker(config);
    const passage = await passageText();
    return () => ranker.rate(QUESTION, [passage], signal);
  },
};

const RECOGNITION = { languages: ['eng'], slots: 1 };
const tesseract = () => createTesseractRecogniser(RECOGNITION);

async function reading(recogniser: TextRecogniser) {
  const bytes = await readFile(new URL('../../docs/images/console-ask.png', import.meta.url));
  const image = await greyImage(bytes, { maxDimension: TEXT_SIDE, maxEnlargement: 1 });
  return () => recogniser.read(image, { tenantId: 'bench', signal });
}

function pair(): TextEmbedding {
  const folders = findSentenceModels(config);
  if (!folders) throw new Error('the models of sentences are missing');
  return createPairedTextEmbedding(folders);
}

async function embedding(model: TextEmbedding, role: 'query' | 'passage') {
  const text = role === 'query' ? QUESTION : await passageText();
  return () => model.embed([text], { role, signal });
}

async function passageText(): Promise<string> {
  const manual = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  return manual.slice(0, PASSAGE_LETTERS);
}

/**
 * `node lab/bench/one-model.ts NAME ROUNDS FOLDER`, the folder of the models: prints, as JSON, the milliseconds of CPU of each call, without the first, and the
 * memory in MiB by which this process has grown with the calls.
 */
const call = await CALLS[name]?.();
if (!call) throw new Error(`no call has the name ${name}`);
const before = process.memoryUsage.rss();
await call();
const cpu: number[] = [];
for (let round = 0; round < Number(rounds); round++) {
  const began = process.cpuUsage();
  await call();
  const { user, system } = process.cpuUsage(began);
  cpu.push((user + system) / 1000);
}
console.log(JSON.stringify({ cpu, mib: (process.memoryUsage.rss() - before) / MIB }));
process.exit();
