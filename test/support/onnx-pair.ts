import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onnxFile } from './onnx-file.ts';

/** Directions of the vectors: a colour as red, green and blue, each −1 to 1. */
const COLOURS = {
  red: [1, -1, -1],
  green: [-1, 1, -1],
  blue: [-1, -1, 1],
  yellow: [1, 1, -1],
  white: [1, 1, 1],
} as const;
const DIMENSION = 3;
const WORDS = ['[PAD]', '[UNK]', ...Object.keys(COLOURS)];

/**
 * Writes the folder of a pair of models that a real one would replace: the vector of an image is its mean colour, that of
 * a text the mean of its words for colours.
 */
export function writeImagePair(folder: string, architecture: 'clip' | 'siglip' = 'clip'): void {
  const isClip = architecture === 'clip';
  const image = isClip ? 'image_embeds' : 'pooler_output';
  const text = isClip ? 'text_embeds' : 'pooler_output';
  mkdirSync(join(folder, 'onnx'), { recursive: true });
  const write = (path: string, content: Buffer | object): void =>
    writeFileSync(join(folder, path), Buffer.isBuffer(content) ? content : JSON.stringify(content));

  write(
    'onnx/vision_model.onnx',
    onnxFile({
      inputs: [{ name: 'pixel_values', type: 'float', shape: ['batch', 3, 'height', 'width'] }],
      outputs: [{ name: image, type: 'float', shape: ['batch', DIMENSION] }],
      nodes: [
        {
          op: 'ReduceMean',
          inputs: ['pixel_values'],
          outputs: [image],
          attributes: { axes: [2, 3], keepdims: 0 },
        },
      ],
      weights: {},
    }),
  );
  write(
    'onnx/text_model.onnx',
    onnxFile({
      inputs: [{ name: 'input_ids', type: 'int64', shape: ['batch', 'tokens'] }],
      outputs: [{ name: text, type: 'float', shape: ['batch', DIMENSION] }],
      nodes: [
        { op: 'Gather', inputs: ['colours', 'input_ids'], outputs: ['vectors'] },
        { op: 'ReduceMean', inputs: ['vectors'], outputs: [text], attributes: { axes: [1], keepdims: 0 } },
      ],
      weights: {
        colours: {
          shape: [WORDS.length, DIMENSION],
          values: WORDS.flatMap((word) => [...(COLOURS[word as keyof typeof COLOURS] ?? [0, 0, 0])]),
        },
      },
    }),
  );
  const side = 16;
  write('config.json', {
    model_type: architecture,
    ...(isClip ? { projection_dim: DIMENSION } : { vision_config: { hidden_size: DIMENSION } }),
  });
  write('preprocessor_config.json', {
    image_processor_type: isClip ? 'CLIPImageProcessor' : 'SiglipImageProcessor',
    do_resize: true,
    size: isClip ? { shortest_edge: side } : { height: side, width: side },
    do_center_crop: isClip,
    ...(isClip && { crop_size: { height: side, width: side } }),
    do_rescale: true,
    do_normalize: true,
    image_mean: [0.5, 0.5, 0.5],
    image_std: [0.5, 0.5, 0.5],
    resample: 3,
  });
  write('tokenizer_config.json', {
    tokenizer_class: 'PreTrainedTokenizerFast',
    pad_token: '[PAD]',
    unk_token: '[UNK]',
    // As in tokenizers without a limit of their own.
    model_max_length: 1e30,
  });
  write('tokenizer.json', {
    version: '1.0',
    added_tokens: [],
    normalizer: { type: 'Lowercase' },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: null,
    decoder: null,
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(WORDS.map((word, id) => [word, id])),
    },
  });
}
