import type { Dice } from '../shared/dice.ts';

/** The processes of a stack, which are started again after a kill. */
export const PROCESSES = ['api', 'worker', 'worker-cpu', 'worker-ocr', 'temporal', 'postgres', 's3'] as const;
/** Child processes, which their parent replaces: they read documents, decode images and hold the vector index. */
export const CHILDREN = ['reader', 'decoder', 'index'] as const;
/** Connections through a proxy of the run: of the client to the API, and of API and workers to their servers. */
export const CONNECTIONS = ['client', 'database', 'store', 'engine'] as const;

export type StackProcess = (typeof PROCESSES)[number];
export type Child = (typeof CHILDREN)[number];
export type Victim = StackProcess | Child;
export type Connection = (typeof CONNECTIONS)[number];

/**
 * A fault: a process is killed, or suspended and continued; connections are broken and new ones refused; the disk is full.
 */
export type Fault = {
  /** Progress at which it happens: files accepted plus files ended, divided by twice the number of files. */
  at: number;
  /** Extra delay, so that faults do not always coincide with the end of a file. */
  afterMs: number;
  /** How long it lasts; for a kill, the time until the restart. */
  forMs: number;
} & (
  | { kind: 'kill' | 'suspend'; victim: Victim }
  | { kind: 'disconnect'; connection: Connection }
  | { kind: 'fill disk' }
);

/** Duration of each kind of fault. */
const FOR_MS = {
  kill: { least: 0, most: 4_000 },
  // Heartbeats time out after ten seconds.
  suspend: { least: 2_000, most: 12_000 },
  disconnect: { least: 0, most: 5_000 },
  'fill disk': { least: 3_000, most: 8_000 },
} as const satisfies Record<Fault['kind'], { least: number; most: number }>;
const AFTER_MS = 700;
/** Number of other faults for each kill. */
const SUSPENSIONS = 0.2;
const DISCONNECTIONS = 0.2;
const FULL_DISKS = { share: 0.1, most: 2 };

/** Faults at random points of progress, earliest first: the kills, and other faults in proportion. */
export function planFaults(dice: Dice, { kills, fullDisk }: { kills: number; fullDisk: boolean }): Fault[] {
  const victims: Victim[] = [...PROCESSES, ...CHILDREN];
  const faults = [
    ...inTurn(victims, kills).map((victim) => fault('kill', { victim })),
    ...inTurn(victims, kills * SUSPENSIONS).map((victim) => fault('suspend', { victim })),
    ...inTurn(CONNECTIONS, kills * DISCONNECTIONS).map((connection) => fault('disconnect', { connection })),
    ...inTurn([{}], fullDisk ? fullDisks(kills) : 0).map((none) => fault('fill disk', none)),
  ];
  return faults.toSorted((a, b) => a.at - b.at);

  /** Each target equally often, in rounds of random order. */
  function inTurn<T>(targets: readonly T[], count: number): T[] {
    const rounds = Array.from({ length: Math.ceil(count / targets.length) }, () => dice.shuffle(targets));
    return rounds.flat().slice(0, Math.round(count));
  }

  function fault<K extends Fault['kind'], Target>(kind: K, target: Target) {
    const { least, most } = FOR_MS[kind];
    return {
      kind,
      ...target,
      at: 0.01 + 0.98 * dice.fraction(),
      afterMs: dice.whole(0, AFTER_MS),
      forMs: dice.whole(least, most),
    };
  }
}

/** How many times a run with so many kills fills the disk. */
export function fullDisks(kills: number): number {
  return Math.min(FULL_DISKS.most, Math.floor(kills * FULL_DISKS.share));
}

/** The fault in words, such as `kill worker`. */
export function nameOfFault(fault: Fault): string {
  if (fault.kind === 'fill disk') return fault.kind;
  return `${fault.kind} ${fault.kind === 'disconnect' ? fault.connection : fault.victim}`;
}
