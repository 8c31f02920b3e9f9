import type { Dice } from '../shared/dice.ts';

/** The API and the workers. */
export const APPS = ['api', 'worker', 'worker-cpu', 'worker-ocr'] as const;
/** The processes of a stack, which are started again after a kill. */
export const PROCESSES = [...APPS, 'temporal', 'postgres', 's3'] as const;
/** Child processes, which their parent replaces: they read documents, decode images and hold the vector index. */
export const CHILDREN = ['reader', 'decoder', 'index'] as const;
/** Connections through a proxy of the run: of the client to the API, and of API and workers to their servers. */
export const CONNECTIONS = ['client', 'database', 'store', 'engine'] as const;

export type App = (typeof APPS)[number];
export type Victim = (typeof PROCESSES)[number] | (typeof CHILDREN)[number];
export type Connection = (typeof CONNECTIONS)[number];

/**
 * A fault: a process is killed, or suspended and continued; connections are broken and new ones refused; the disk is full; or
 * the clock of an app jumps, and jumps back.
 */
export type Fault = {
  /** Progress at which it happens: files accepted plus files ended, divided by twice the number of files. */
  at: number;
  /** Extra delay, so that faults do not always coincide with the end of a file. */
  afterMs: number;
  /** How long it lasts; for a kill, the time until the restart. */
  forMs: number;
} & (
  | { kind: 'kill'; target: Victim }
  | { kind: 'suspend'; target: Victim }
  | { kind: 'disconnect'; target: Connection }
  | { kind: 'fill'; target: 'disk' }
  | { kind: 'shift clock'; target: App; seconds: number }
);

/** The faults that a machine allows, besides those of processes and connections. */
export interface Possible {
  fullDisk: boolean;
  clocks: boolean;
}

/** Duration of each kind of fault. */
const FOR_MS = {
  kill: { least: 0, most: 4_000 },
  // Heartbeats time out after ten seconds.
  suspend: { least: 2_000, most: 12_000 },
  disconnect: { least: 0, most: 5_000 },
  fill: { least: 3_000, most: 8_000 },
  'shift clock': { least: 5_000, most: 15_000 },
} as const satisfies Record<Fault['kind'], { least: number; most: number }>;
const AFTER_MS = 700;
/** Number of other faults for each kill. */
const SUSPENSIONS = 0.2;
const DISCONNECTIONS = 0.2;
const FULL_DISKS = { share: 0.1, most: 2 };
const CLOCK_JUMPS = 0.1;
/** Less than the five minutes that receivers of webhooks accept. */
const MOST_SECONDS = 200;

/** Faults at random points of progress, earliest first: the kills, and other faults in proportion. */
export function planFaults(dice: Dice, { kills, fullDisk, clocks }: { kills: number } & Possible): Fault[] {
  const victims: Victim[] = [...PROCESSES, ...CHILDREN];
  const faults: Fault[] = [
    ...several('kill', victims, kills),
    ...several('suspend', victims, kills * SUSPENSIONS),
    ...several('disconnect', CONNECTIONS, kills * DISCONNECTIONS),
    ...several('fill', ['disk'], fullDisk ? fullDisks(kills) : 0),
    ...several('shift clock', APPS, clocks ? kills * CLOCK_JUMPS : 0).map((fault) => ({
      ...fault,
      seconds: dice.whole(-MOST_SECONDS, MOST_SECONDS),
    })),
  ];
  return faults.toSorted((a, b) => a.at - b.at);

  /** Faults that hit each target equally often, in rounds of random order. */
  function several<K extends Fault['kind'], const T>(kind: K, targets: readonly T[], count: number) {
    const rounds = Array.from({ length: Math.ceil(count / targets.length) }, () => dice.shuffle(targets));
    const { least, most } = FOR_MS[kind];
    return rounds
      .flat()
      .slice(0, Math.round(count))
      .map((target) => ({
        kind,
        target,
        at: 0.01 + 0.98 * dice.fraction(),
        afterMs: dice.whole(0, AFTER_MS),
        forMs: dice.whole(least, most),
      }));
  }
}

/** How many times a run with so many kills fills the disk. */
export function fullDisks(kills: number): number {
  return Math.min(FULL_DISKS.most, Math.floor(kills * FULL_DISKS.share));
}

/** The fault in words, such as `kill worker`. */
export function nameOfFault({ kind, target }: Fault): string {
  return `${kind} ${target}`;
}
