/** The files of a model in the layout of the hub: settings at the root, weights in `onnx/` or at the root. */

/** Suffixes of files with weights and the names of their precisions in transformers.js, the preferred first. */
const PRECISIONS = [
  ['_quantized', 'q8'],
  ['_int8', 'int8'],
  ['_uint8', 'uint8'],
  ['', 'fp32'],
  ['_fp16', 'fp16'],
  ['_q4', 'q4'],
] as const;
export type Precision = (typeof PRECISIONS)[number][1];

/** Folders with weights, the preferred first. */
const SUBFOLDERS = ['onnx', ''] as const;

/** One part of a model, such as `model`, `vision_model` or `text_model`. */
export interface WeightsFile {
  part: string;
  precision: Precision;
  /** Relative to the model's folder: `onnx`, or empty for the folder itself. */
  subfolder: (typeof SUBFOLDERS)[number];
  /** Relative to the model's folder. */
  path: string;
}

/** Chooses the smallest weights that keep quality: eight bits, else full precision. */
export function chooseWeights(part: string, available: ReadonlySet<string>): WeightsFile | undefined {
  for (const [suffix, precision] of PRECISIONS) {
    for (const subfolder of SUBFOLDERS) {
      const path = `${subfolder === '' ? '' : `${subfolder}/`}${part}${suffix}.onnx`;
      if (available.has(path)) return { part, precision, subfolder, path };
    }
  }
  return undefined;
}

/** Weights over 2 GB are in files beside the graph: `model.onnx_data`, `model.onnx_data_1` … */
export const isDataOf = ({ path }: WeightsFile, other: string): boolean =>
  other.startsWith(`${path}_data`) && /^(?:_\d{1,4})?$/.test(other.slice(`${path}_data`.length));

/** Small files that define how input is prepared and what the output is. */
const DEFINITIONS: ReadonlySet<string> = new Set([
  'config.json',
  'tokenizer.json',
  'tokenizer_config.json',
  'special_tokens_map.json',
  'preprocessor_config.json',
  'processor_config.json',
  'sentence_bert_config.json',
  'config_sentence_transformers.json',
  '1_Pooling/config.json',
]);

/** The files of a model that are read: definitions, the chosen weights and their data. */
export function neededFiles(
  parts: readonly string[],
  available: ReadonlySet<string>,
): { weights: WeightsFile[]; files: string[]; missing: string[] } {
  const chosen = parts.map((part) => chooseWeights(part, available));
  const weights = chosen.filter((file) => file !== undefined);
  return {
    weights,
    files: [...available]
      .filter((path) => DEFINITIONS.has(path) || weights.some((w) => w.path === path || isDataOf(w, path)))
      .toSorted(),
    missing: [
      ...(available.has('config.json') ? [] : ['config.json']),
      ...parts.filter((_, at) => chosen[at] === undefined).map((part) => `onnx/${part}_quantized.onnx`),
    ],
  };
}
