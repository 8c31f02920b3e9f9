import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onnxFile } from './onnx-file.ts';

/** Words by what they mean: those of a list have one vector, which is orthogonal to those of other lists. */
export interface Vocabulary {
  meanings: readonly (readonly string[])[];
}

/**
 * Writes the folder of a small, real sentence model: each token has a vector, by its meaning; any other word has none.
 *
 * @param weights path of the file with weights
 * @param others further files of definitions, by path
 */
export function writeSentenceModel(
  folder: string,
  { meanings }: Vocabulary,
  {
    weights = 'onnx/model_quantized.onnx',
    others = {},
  }: { weights?: string; others?: Readonly<Record<string, unknown>> } = {},
): void {
  const dimension = meanings.length + 1;
  const words = meanings.flatMap((list, axis) => list.map((word) => ({ word, axis })));
  // Padding has a direction of its own, unknown words have none: else texts of them alone would be alike.
  const rows = [axisVector(meanings.length), axisVector(-1), ...words.map(({ axis }) => axisVector(axis))];
  const write = (path: string, content: string | Buffer) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  };
  write(
    weights,
    onnxFile({
      inputs: ['input_ids', 'attention_mask'].map((name) => ({
        name,
        type: 'int64',
        shape: ['texts', 'tokens'],
      })),
      outputs: [{ name: 'last_hidden_state', type: 'float', shape: ['texts', 'tokens', dimension] }],
      nodes: [{ op: 'Gather', inputs: ['embeddings', 'input_ids'], outputs: ['last_hidden_state'] }],
      weights: { embeddings: { shape: [rows.length, dimension], values: rows.flat() } },
    }),
  );
  const definitions = {
    'config.json': { model_type: 'bert', hidden_size: dimension },
    'tokenizer_config.json': {
      tokenizer_class: 'BertTokenizer',
      model_max_length: 512,
      pad_token: '[PAD]',
      unk_token: '[UNK]',
    },
    'tokenizer.json': {
      version: '1.0',
      truncation: null,
      padding: null,
      added_tokens: ['[PAD]', '[UNK]'].map((content, id) => ({ id, content, special: true })),
      normalizer: { type: 'BertNormalizer', clean_text: true, lowercase: true, strip_accents: null },
      pre_tokenizer: { type: 'BertPreTokenizer' },
      post_processor: null,
      decoder: null,
      model: {
        type: 'WordPiece',
        unk_token: '[UNK]',
        continuing_subword_prefix: '##',
        max_input_chars_per_word: 100,
        vocab: Object.fromEntries(
          ['[PAD]', '[UNK]', ...words.map(({ word }) => word)].map((word, id) => [word, id]),
        ),
      },
    },
    ...others,
  };
  for (const [path, content] of Object.entries(definitions)) write(path, JSON.stringify(content));

  function axisVector(axis: number): number[] {
    return Array.from({ length: dimension }, (_, at) => (at === axis ? 1 : 0));
  }
}
