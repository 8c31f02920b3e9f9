import { ConfigError } from '../../domain/schemas/read-config.ts';
import { StackError } from '../../dev/processes/stack-error.ts';
import { outage } from '../../services/shared/outage.ts';
import { UsageError } from './usage-error.ts';

/** The command could not start, or could not be completed. */
const COULD_NOT = 2;

/**
 * Runs a command and exits: with the code that the command returns, or with 2 and the reason if it throws. Open handles
 * do not keep the process alive.
 *
 * @param help printed when the command returns undefined
 */
export async function runCommand(help: string, run: () => Promise<number | undefined>): Promise<never> {
  try {
    const code = await run();
    if (code === undefined) console.log(help);
    return await exit(code ?? 0);
  } catch (error) {
    console.error(explainFailure(error));
    return await exit(COULD_NOT);
  }
}

/** Exits after all output is flushed, so that a slow reader of a pipe loses none of it. */
async function exit(code: number): Promise<never> {
  for (const stream of [process.stdout, process.stderr]) {
    await new Promise<void>((resolve) => stream.write('', () => resolve()));
  }
  process.exit(code);
}

/** One line for an expected error; the stack trace for any other. */
export function explainFailure(error: unknown): string {
  if (error instanceof UsageError || error instanceof ConfigError || error instanceof StackError) {
    return error.message;
  }
  const down = outage(error);
  if (down) return `The ${down} cannot be reached. Is the stack running? Start it with npm start.`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
