import { readFileSync } from 'node:fs';
import type { z } from 'zod';

/** Lists every problem of an environment, one per line, so that an operator can fix them in one go. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  /** `NAME: problem`, without duplicates. */
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    const distinct = [...new Set(problems)];
    super(`Bad settings:\n  ${distinct.join('\n  ')}`);
    this.problems = distinct;
  }
}

/**
 * Reads a process's settings from an environment, through the config slices defined next to the code they configure.
 * Instead of `NAME`, `NAME_FILE` may name a file that contains the value, as most orchestrators mount secrets.
 *
 * @param slices schemas whose keys are environment variable names; each key yields one parsed value
 * @param env usually the environment of the process; an empty string counts as absent
 * @returns one object with the keys of all slices
 * @throws ConfigError naming every missing or malformed variable
 */
export function readConfig<const S extends readonly z.ZodObject[]>(
  slices: S,
  env: Record<string, string | undefined>,
): UnionToIntersection<z.output<S[number]>> {
  const problems: string[] = [];
  const present = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  for (const name of new Set(slices.flatMap((slice) => Object.keys(slice.shape)))) {
    const file = present[`${name}_FILE`];
    if (file === undefined) continue;
    if (present[name] !== undefined)
      problems.push(`${name}: is set, and so is ${name}_FILE; unset one of them`);
    else present[name] = readSecret(name, file, problems);
  }
  const values: Record<string, unknown> = {};
  for (const slice of slices) {
    const result = slice.safeParse(present);
    if (result.success) Object.assign(values, result.data);
    else for (const issue of result.error.issues) problems.push(`${issue.path.join('.')}: ${issue.message}`);
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return values as UnionToIntersection<z.output<S[number]>>;
}

/** Undefined, with a reported problem, if the file cannot be read. Drops the final line break that editors add. */
function readSecret(name: string, file: string, problems: string[]): string | undefined {
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    problems.push(`${name}_FILE: ${(error as Error).message}`);
    return undefined;
  }
}

type UnionToIntersection<U> = (U extends unknown ? (x: U) => void : never) extends (x: infer I) => void
  ? I
  : never;
