import type { TextEmbedding } from './text-embedding.ts';

/** Questions and texts about different subjects. */
const QUESTIONS = [
  'How long does bread dough have to rest?',
  'Which trains go to the airport at night?',
  'When was the bridge over the river built?',
  'What is the penalty for late payment?',
];
const TEXTS = [
  'The choir rehearses on Tuesdays in the school hall.',
  'Owls hunt at dusk and swallow their prey whole.',
  'Press the red button to stop the conveyor belt.',
  'The patient was given antibiotics for ten days.',
  'Snow closed the pass for the third time this winter.',
  'The committee elected a new treasurer by a show of hands.',
];

/** A model that sees hardly any difference ranks by what is left. */
const MOST = 0.95;

/** Not the limit of the search that happens to be the first. */
const MEASURED_WITHIN_MS = 30_000;

const measured = new WeakMap<TextEmbedding, Promise<number>>();

/**
 * The mean cosine similarity of texts that have nothing in common, as a model sees it: near 0 for some models, 0.75 for
 * others. Measured once for each model.
 *
 * @throws ModelError
 */
export async function unrelatedSimilarity(embedding: TextEmbedding): Promise<number> {
  if (embedding.weight?.unrelated !== undefined) return embedding.weight.unrelated;
  const known = measured.get(embedding);
  if (known) return known;
  const measuring = measure(embedding, AbortSignal.timeout(MEASURED_WITHIN_MS));
  measured.set(embedding, measuring);
  measuring.catch(() => measured.delete(embedding));
  return measuring;
}

async function measure(embedding: TextEmbedding, signal: AbortSignal): Promise<number> {
  const questions = await embedding.embed(QUESTIONS, { role: 'query', signal });
  const texts = await embedding.embed(TEXTS, { role: 'passage', signal });
  const all = questions.flatMap((question) => texts.map((text) => dot(question, text)));
  const mean = all.reduce((sum, value) => sum + value, 0) / all.length;
  return Math.min(MOST, Math.max(0, mean));
}

const dot = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
