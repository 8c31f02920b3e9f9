import type { z } from 'zod';

/** `failed` is something that Darkroom needs; `warning` is something that an operator should know. */
export type Outcome = 'ok' | 'warning' | 'failed';

export interface Finding {
  /** The server or the kind of settings. */
  area: string;
  check: string;
  outcome: Outcome;
  detail: string;
  /** What to do about it, in one line; none for `ok`. */
  remedy?: string;
}

/** Takes the findings of one area, as they are made. */
export interface Report {
  ok(check: string, detail: string): void;
  warn(check: string, detail: string, remedy: string): void;
  fail(check: string, detail: string, remedy: string): void;
}

/** The checks of one area. */
export interface Area {
  name: string;
  /** The settings it needs: it is not checked if one of them is wrong. */
  slices: readonly z.ZodObject[];
  /** Reports what it finds; may also throw, which is a failure. It is abandoned when it takes too long. */
  check(env: Env, report: Report): Promise<void>;
  /** How to remedy an error that `check` threw. */
  remedy(error: unknown): string;
}

export type Env = Record<string, string | undefined>;
