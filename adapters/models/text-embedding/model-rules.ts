import { createHash } from 'node:crypto';
import { type OnnxModel, OnnxModelError } from '../../../engines/onnx/open-model.ts';
import type { TextEmbeddingConfig } from './config.ts';
import type { TextRole } from './text-embedding.ts';

/** How the vectors of a text's tokens become one vector. */
export type Pooling = 'mean' | 'cls' | 'lasttoken';

/** How a sentence model wants its texts, and what its vectors are. */
export interface ModelRules {
  /** Put before each text. */
  prefixes: Readonly<Record<TextRole, string>>;
  pooling: Pooling;
  /** Further tokens of a text are left out. */
  maxTokens: number;
  dimension: number;
  /** ISO 639-1 code; undefined unless the name says that the model has a single language. */
  language: string | undefined;
}

interface Family {
  name: RegExp;
  query: string;
  passage: string;
  pooling: Pooling;
}

const NO_PREFIX = { query: '', passage: '' };
/** Families whose files do not say how they were trained; the first match wins. */
const FAMILIES: readonly Family[] = [
  {
    name: /(^|[-_/])e5([-_.].*)?instruct/i,
    query: 'Instruct: Given a question, retrieve passages that answer it\nQuery: ',
    passage: '',
    pooling: 'mean',
  },
  { name: /(^|[-_/])e5([-_.]|$)/i, query: 'query: ', passage: 'passage: ', pooling: 'mean' },
  {
    name: /(^|[-_/])bge-(small|base|large)-en/i,
    query: 'Represent this sentence for searching relevant passages: ',
    passage: '',
    pooling: 'cls',
  },
  {
    name: /(^|[-_/])bge-(small|base|large)-zh/i,
    query: '为这个句子生成表示以用于检索相关文章：',
    passage: '',
    pooling: 'cls',
  },
  { name: /(^|[-_/])bge-/i, ...NO_PREFIX, pooling: 'cls' },
];
const OTHERS = { ...NO_PREFIX, pooling: 'mean' } as const;

/** Longer texts cost quadratically; a chunk has about as many. */
const MAX_TOKENS = 512;
const ENGLISH = /[-_.]en([-_.]|$)/i;

/**
 * The rules of a model: prefixes of the settings, else of the model's own prompts, else of its family; pooling of its
 * files, else of its family.
 *
 * @throws OnnxModelError for a model whose files do not describe a supported sentence model
 */
export async function readModelRules(
  model: OnnxModel,
  settings: Pick<TextEmbeddingConfig, 'TEXT_EMBEDDING_QUERY_PREFIX' | 'TEXT_EMBEDDING_PASSAGE_PREFIX'>,
): Promise<ModelRules> {
  const config = (await model.read('config.json')) ?? {};
  const tokenizer = await model.read('tokenizer_config.json');
  if (!tokenizer || !(await model.read('tokenizer.json')))
    throw new OnnxModelError(`${model.folder} has no tokenizer.json and tokenizer_config.json: add them`);
  // The name of the folder may be any; many models keep the one that they were published by.
  const origin = config['_name_or_path'];
  const name = typeof origin === 'string' ? `${model.name} ${origin}` : model.name;
  const family = FAMILIES.find((each) => name.split(' ').some((one) => each.name.test(one))) ?? OTHERS;
  const prompts = await readPrompts(model);
  return {
    prefixes: {
      query: settings.TEXT_EMBEDDING_QUERY_PREFIX ?? prompts?.query ?? family.query,
      passage: settings.TEXT_EMBEDDING_PASSAGE_PREFIX ?? prompts?.passage ?? family.passage,
    },
    pooling: (await readPooling(model)) ?? family.pooling,
    maxTokens: Math.min(
      MAX_TOKENS,
      ...([
        tokenizer['model_max_length'],
        config['max_position_embeddings'],
        (await model.read('sentence_bert_config.json'))?.['max_seq_length'],
      ].filter((limit) => typeof limit === 'number' && limit > 0) as number[]),
    ),
    dimension: dimensionOf(model, config),
    language: ENGLISH.test(model.name) ? 'en' : undefined,
  };
}

/** Identifies the vectors of passages: by the files of the model and by the rules that change these vectors. */
export function modelIdentity(
  { name, sha256 }: OnnxModel,
  { prefixes, pooling, maxTokens }: ModelRules,
): string {
  const rules = JSON.stringify([sha256, prefixes.passage, pooling, maxTokens]);
  return `${name}-${createHash('sha256').update(rules).digest('hex').slice(0, 12)}`;
}

/** Prompts of sentence-transformers; undefined if the model has none for queries. */
async function readPrompts(model: OnnxModel): Promise<Record<TextRole, string> | undefined> {
  const prompts = (await model.read('config_sentence_transformers.json'))?.['prompts'];
  if (typeof prompts !== 'object' || prompts === null) return undefined;
  const { query, passage, document } = prompts as Record<string, unknown>;
  const [first, second] = [query, passage ?? document];
  if (typeof first !== 'string' || first === '') return undefined;
  return { query: first, passage: typeof second === 'string' ? second : '' };
}

const POOLING: Readonly<Record<string, Pooling>> = {
  pooling_mode_mean_tokens: 'mean',
  pooling_mode_cls_token: 'cls',
  pooling_mode_lasttoken: 'lasttoken',
};

async function readPooling(model: OnnxModel): Promise<Pooling | undefined> {
  const modes = await model.read('1_Pooling/config.json');
  if (!modes) return undefined;
  const used = Object.keys(modes).filter((mode) => mode.startsWith('pooling_mode_') && modes[mode] === true);
  const pooling = used.length === 1 ? POOLING[used[0] ?? ''] : undefined;
  if (pooling) return pooling;
  throw new OnnxModelError(
    `${model.folder} pools by ${used.join(' and ') || 'no mode'}: choose a model that pools by mean, cls or lasttoken`,
  );
}

function dimensionOf({ folder }: OnnxModel, config: Readonly<Record<string, unknown>>): number {
  for (const key of ['hidden_size', 'dim', 'd_model', 'n_embd']) {
    const value = config[key];
    if (Number.isInteger(value) && Number(value) > 0) return Number(value);
  }
  throw new OnnxModelError(`${folder}/config.json has no hidden_size: choose a model for sentences`);
}
