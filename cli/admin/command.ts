/** One command of `npm run admin`. */
export interface Command {
  /** Operands and flags, as the help shows them. */
  usage: string;
  does: string;
  /** Number of operands, all required. */
  operands: number;
  /** @returns the exit code; undefined if flags are missing, for the help */
  run(operands: string[], flags: Flags, env: NodeJS.ProcessEnv): Promise<number | undefined>;
}

/** Flags of all commands. */
export const FLAGS = {
  credentials: { type: 'string' },
  'unlimited-requests': { type: 'boolean' },
  'older-than': { type: 'string' },
  owner: { type: 'string' },
  name: { type: 'string' },
  scopes: { type: 'string' },
  tenant: { type: 'string' },
  tier: { type: 'string' },
  'requests-per-minute': { type: 'string' },
  'monthly-credits': { type: 'string' },
  json: { type: 'boolean' },
} as const;
export type Flags = {
  [F in keyof typeof FLAGS]?: ((typeof FLAGS)[F]['type'] extends 'boolean' ? boolean : string) | undefined;
};
