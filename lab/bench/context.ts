import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import type { Stack } from '../../dev/launcher/stack.ts';

/** The context of a part of the benchmark. */
export interface BenchContext {
  /** Measured rounds of each comparison, after one warm-up round. */
  rounds: number;
  /** A photograph for V1 and W2; by default V1 generates an image, and W2 uses small samples. */
  photograph?: Uint8Array | undefined;
  /** Path of a PDF with a text layer for O2 and O3; by default handbooks from Debian packages. */
  document?: string | undefined;
  /** Chunks in the larger of the two accounts of S1. */
  chunks: number;
  /** Files in the larger of the two accounts of L1. */
  rows: number;
  /** The environment of the program. */
  env: NodeJS.ProcessEnv;
  /** Returns a stack of real servers and the API, without worker processes. The first call starts it. */
  stack: () => Promise<Stack>;
  /** Shows the current measurement to the user. */
  progress: (text: string) => void;
}

/** A part of the benchmark. Resolves to one line for each figure. */
export type BenchPart = (context: BenchContext) => Promise<string[]>;

/** An installed package with its version, such as "minio 8.0.7". */
export function packageVersion(name: string): string {
  const path = findPackageJSON(name, import.meta.url);
  if (path === undefined) throw new Error(`${name} is not installed`);
  const { version } = JSON.parse(readFileSync(path, 'utf8')) as { version: string };
  return `${name} ${version}`;
}
