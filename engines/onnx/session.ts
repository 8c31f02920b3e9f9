import { join } from 'node:path';
import { loadRuntime, MODEL_SESSION } from './load.ts';
import { guarded } from './run-guard.ts';

/** A model of the service with one input and one output. */
export interface ModelSession {
  run(values: Float32Array, shape: readonly number[]): Promise<Float32Array>;
  /** The same, with the shape of the output. */
  answer(
    values: Float32Array,
    shape: readonly number[],
  ): Promise<{ data: Float32Array; dims: readonly number[] }>;
}

/** Opens the model of a folder, for a thread: a run blocks it. */
export async function openSession(folder: string): Promise<ModelSession> {
  const { InferenceSession, Tensor } = await loadRuntime();
  const session = await guarded(() => InferenceSession.create(join(folder, 'model.onnx'), MODEL_SESSION));
  const [input = '', output = ''] = [session.inputNames[0], session.outputNames[0]];
  const answer: ModelSession['answer'] = async (values, shape) => {
    const outputs = await guarded(() => session.run({ [input]: new Tensor('float32', values, shape) }));
    const found = outputs[output];
    if (found === undefined) throw new Error(`the model of ${folder} answered nothing`);
    return { data: found.data as Float32Array, dims: found.dims };
  };
  return { answer, run: async (values, shape) => (await answer(values, shape)).data };
}

/** Opens something once; again after a failure, or for another folder. */
export function openOnce<Opened>(
  open: (folder: string) => Promise<Opened>,
): (folder: string) => Promise<Opened> {
  let last: { folder: string; opened: Promise<Opened> } | undefined;
  return (folder) => {
    if (last?.folder !== folder) {
      const opened = open(folder);
      const mine = { folder, opened };
      last = mine;
      opened.catch(() => {
        if (last === mine) last = undefined;
      });
    }
    return last.opened;
  };
}
