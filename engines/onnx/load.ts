import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { OnnxModel } from './open-model.ts';

/** One core, like the other models of this machine: the rest of the process and its neighbours keep theirs. */
const SESSION = { intraOpNumThreads: 1, interOpNumThreads: 1 };

/**
 * The library that runs models, for threads only: loading takes 100 ms, and a session blocks its thread. It reads only
 * files that were opened, and nothing over the network.
 *
 * @throws Error that says what to do if the packages are missing
 */
export async function loadTransformers() {
  const library = await import('@huggingface/transformers').catch((cause: unknown) => {
    throw new Error(
      'the packages @huggingface/transformers and onnxruntime-node are not installed: run npm ci with npm 11, on Linux, macOS or Windows',
      { cause },
    );
  });
  Object.assign(library.env, { allowRemoteModels: false, useFSCache: false, useWasmCache: false });
  library.env.logLevel = library.LogLevel.ERROR;
  return library;
}

/** What a thread needs of a model in order to load it. */
export type OnnxFiles = Pick<OnnxModel, 'folder' | 'weights'>;

/** Options of `from_pretrained` for the weights that were chosen; the first argument is the folder. */
export function pretrainedOptions({ weights }: OnnxFiles) {
  return {
    dtype: Object.fromEntries(weights.map(({ part, precision }) => [part, precision])),
    subfolder: weights[0]?.subfolder ?? '',
    device: 'cpu',
    local_files_only: true,
    session_options: SESSION,
  } as const;
}

/** Whether the runtime has a build for this machine: it has none for Macs with Intel processors, nor for musl. */
export function hasRuntime(): boolean {
  return (found ??= findRuntime());
}
let found: boolean | undefined;

function findRuntime(): boolean {
  const { platform, arch } = process;
  try {
    const main = createRequire(import.meta.url).resolve('onnxruntime-node');
    const binding = join(dirname(main), '..', 'bin', 'napi-v6', platform, arch, 'onnxruntime_binding.node');
    if (!existsSync(binding)) return false;
  } catch {
    return false;
  }
  if (platform !== 'linux') return true;
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  return header.glibcVersionRuntime !== undefined;
}

/** The runtime alone, which the models of the service need. @throws Error where it has no build for this machine */
export async function loadRuntime() {
  return import('onnxruntime-node');
}

/** One core and no arena: what a picture needs is freed after it. */
export const MODEL_SESSION = { ...SESSION, enableCpuMemArena: false, logSeverityLevel: 3 } as const;
