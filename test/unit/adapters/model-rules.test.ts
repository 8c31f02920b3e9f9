import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelIdentity, readModelRules } from '../../../adapters/models/text-embedding/model-rules.ts';
import type { OnnxModel } from '../../../engines/onnx/open-model.ts';

type Files = Readonly<Record<string, Record<string, unknown>>>;

function modelOf(name: string, files: Files = {}): OnnxModel {
  const all: Files = {
    'config.json': { hidden_size: 384 },
    'tokenizer.json': {},
    'tokenizer_config.json': { model_max_length: 512 },
    ...files,
  };
  const read = (path: string) => Promise.resolve(all[path]);
  return { folder: `/models/${name}`, name, weights: [], sha256: 'a'.repeat(64), read };
}
const rulesOf = (name: string, files?: Files) => readModelRules(modelOf(name, files), {});

const BGE = 'Represent this sentence for searching relevant passages: ';
const FAMILIES: readonly [
  name: string,
  query: string,
  passage: string,
  pooling: string,
  language?: string,
][] = [
  ['multilingual-e5-small', 'query: ', 'passage: ', 'mean'],
  ['e5-base-v2', 'query: ', 'passage: ', 'mean'],
  ['bge-small-en-v1.5', BGE, '', 'cls', 'en'],
  ['bge-m3', '', '', 'cls'],
  ['all-MiniLM-L6-v2', '', '', 'mean'],
  ['paraphrase-multilingual-MiniLM-L12-v2', '', '', 'mean'],
  ['made5-of-words', '', '', 'mean'],
];
for (const [name, query, passage, pooling, language] of FAMILIES) {
  test(`${name} is used as its family was trained`, async () => {
    const rules = await rulesOf(name);
    assert.deepEqual(rules.prefixes, { query, passage });
    assert.equal(rules.pooling, pooling);
    assert.equal(rules.language, language);
    assert.equal(rules.dimension, 384);
  });
}

test('an instructed E5 model has an instruction for questions only', async () => {
  const { prefixes } = await rulesOf('multilingual-e5-large-instruct');
  assert.match(prefixes.query, /^Instruct: .*\nQuery: $/);
  assert.equal(prefixes.passage, '');
});

test('the family of a folder with another name is that of the name in its config.json', async () => {
  const files = { 'config.json': { hidden_size: 384, _name_or_path: 'intfloat/multilingual-e5-small' } };
  assert.equal((await rulesOf('text', files)).prefixes.query, 'query: ');
});

test("a model's own prompts and pooling replace those of its family, and settings replace its prompts", async () => {
  const files = {
    'config_sentence_transformers.json': { prompts: { query: 'Q: ', document: 'D: ' } },
    '1_Pooling/config.json': { pooling_mode_cls_token: true, pooling_mode_mean_tokens: false },
  };
  const rules = await rulesOf('e5-like', files);
  assert.deepEqual(rules.prefixes, { query: 'Q: ', passage: 'D: ' });
  assert.equal(rules.pooling, 'cls');
  const set = await readModelRules(modelOf('e5-like', files), { TEXT_EMBEDDING_QUERY_PREFIX: 'ask ' });
  assert.deepEqual(set.prefixes, { query: 'ask ', passage: 'D: ' });
});

test('the shortest limit of the files is the limit of tokens, at most 512', async () => {
  assert.equal((await rulesOf('a', { 'tokenizer_config.json': { model_max_length: 1e30 } })).maxTokens, 512);
  assert.equal((await rulesOf('a', { 'sentence_bert_config.json': { max_seq_length: 128 } })).maxTokens, 128);
});

test('what changes the vectors of passages changes the identity of the model', async () => {
  const model = modelOf('e5');
  const rules = await readModelRules(model, {});
  const identity = modelIdentity(model, rules);
  assert.match(identity, /^e5-[0-9a-f]{12}$/);
  const others = [
    modelIdentity({ ...model, sha256: 'b'.repeat(64) }, rules),
    modelIdentity(model, { ...rules, prefixes: { ...rules.prefixes, passage: '' } }),
    modelIdentity(model, { ...rules, pooling: 'cls' }),
  ];
  assert.ok(!others.includes(identity));
  assert.equal(modelIdentity(model, { ...rules, prefixes: { ...rules.prefixes, query: '' } }), identity);
});

test('a model that is none for sentences is refused with a reason', async () => {
  await assert.rejects(rulesOf('a', { 'config.json': {} }), /has no hidden_size/);
  const max = { '1_Pooling/config.json': { pooling_mode_max_tokens: true } };
  await assert.rejects(rulesOf('a', max), /pools by pooling_mode_max_tokens/);
});
