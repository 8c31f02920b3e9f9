import type { Engine } from '../client.ts';
import { PROCESS_FILE, processFileStart, type ProcessFileInput } from '../contract/process-file.ts';
import { startGeneration } from './start-generation.ts';

/**
 * Starts the run of one generation of a file.
 *
 * @param summary one line for operators, to which the name of the file is added
 * @returns false while the run of the previous generation has not closed
 * @throws EngineUnavailable
 */
export function startProcessFile(engine: Engine, input: ProcessFileInput, summary: string): Promise<boolean> {
  return startGeneration(engine, PROCESS_FILE, processFileStart(input, summary), input.generation);
}
