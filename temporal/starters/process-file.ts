import type { Engine } from '../client.ts';
import { PROCESS_FILE, processFileStart, type ProcessFileInput } from '../contract/process-file.ts';
import { startGeneration } from './start-generation.ts';

/**
 * Starts the run of one generation of a file.
 *
 * @param staticSummary one line for operators
 * @returns false while the run of the previous generation has not closed
 * @throws EngineUnavailable
 */
export function startProcessFile(
  engine: Engine,
  input: ProcessFileInput,
  staticSummary: string,
): Promise<boolean> {
  return startGeneration(engine, PROCESS_FILE, processFileStart(input, staticSummary), input.generation);
}
