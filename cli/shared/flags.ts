import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { UsageError } from './usage-error.ts';

type Given<O extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: O; allowPositionals: true }>
>;

/**
 * Reads the flags and operands of a command line.
 *
 * @param mostOperands maximum number of positional arguments
 * @returns undefined for --help
 * @throws UsageError for unknown flags and surplus operands
 */
export function readFlags<const O extends ParseArgsOptionsConfig>(
  args: string[],
  flags: O,
  mostOperands = 0,
): Given<O> | undefined {
  const help = { type: 'boolean', short: 'h' } as const;
  let given: Given<O> & { values: { help?: boolean } };
  try {
    given = parseArgs({ args, options: { ...flags, help }, allowPositionals: true });
  } catch (error) {
    const why = error instanceof Error ? error.message.split('. ')[0] : String(error);
    throw new UsageError(`${why}. --help lists the options.`, { cause: error });
  }
  if (given.values.help) return undefined;
  const surplus = given.positionals[mostOperands];
  if (surplus !== undefined)
    throw new UsageError(`Unexpected argument "${surplus}". --help lists the options.`);
  return given;
}

/** @throws UsageError unless the value of the flag is a whole number from `least` to `most` */
export function wholeNumber(flag: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new UsageError(`${flag} must be a whole number from ${least} to ${most}, not "${text}".`);
}

/** @throws UsageError unless the value of the flag is a number from `least` to `most`, such as 5 or 0.5 */
export function numberOf(flag: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && value >= least && value <= most) return value;
  throw new UsageError(`${flag} must be a number from ${least} to ${most}, not "${text}".`);
}
