import { ConfigError } from '../../domain/schemas/read-config.ts';
import { StackError } from '../../dev/processes/stack-error.ts';
import { outage } from '../../services/shared/outage.ts';
import { CannotBegin } from './cannot-begin.ts';

/** Nothing, or not all, could be done. */
const COULD_NOT = 2;

/**
 * Runs a command and ends the process: with the exit code that the command returns, or with 2 and the reason when it
 * throws. What it has left open does not keep the process.
 *
 * @param help printed when the command returns undefined
 */
export async function runCommand(help: string, run: () => Promise<number | undefined>): Promise<never> {
  try {
    const code = await run();
    if (code === undefined) console.log(help);
    process.exit(code ?? 0);
  } catch (error) {
    console.error(explainFailure(error));
    process.exit(COULD_NOT);
  }
}

/** What was foreseen in a line; anything else with its stack trace. */
export function explainFailure(error: unknown): string {
  if (error instanceof CannotBegin || error instanceof ConfigError || error instanceof StackError) {
    return error.message;
  }
  const down = outage(error);
  if (down) return `The ${down} cannot be reached. Is the stack running? Start it with npm start.`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
