import type { RoleUsage } from './read-processes.ts';
import { type Point, type Slope, fitSlope } from './slope.ts';

/** Figures reported by a process. */
export interface OwnFigures {
  heap: number;
  external: number;
  handles: number;
}

type Usage = Omit<RoleUsage, 'cpuMs'>;

/** The usage of all roles at one time. */
export type Sample = ReadonlyMap<string, Usage & Partial<OwnFigures>>;

/** The usage of one role in one minute: the minimum memory of its samples in bytes, and the maximum counts. */
export interface MinuteUsage extends Partial<OwnFigures> {
  rss: number;
  anonymous: number;
  descriptors: number;
  connections: number;
  /** Peak resident bytes of each process, by its id. */
  peaks: Record<number, number>;
}

export interface Minute {
  minute: number;
  roles: Map<string, MinuteUsage>;
  /** What must not accumulate: entries of the temporary folder, and events of the longest history of a running workflow. */
  leftovers?: Readonly<Record<'temporary files' | 'longest history', number>>;
}

/** The memory figures whose slope is computed. */
export const MEASURES = ['rss', 'anonymous', 'heap', 'external'] as const;
export type Measure = (typeof MEASURES)[number];

const MEGABYTE = 1e6;

/**
 * Summarises the samples of a minute. The minimum memory is that after a garbage collection, if there was one; a role
 * without processes in a sample counts as zero.
 */
export function summariseMinute(minute: number, samples: readonly Sample[]): Minute {
  const names = new Set(samples.flatMap((sample) => [...sample.keys()]));
  const roles = new Map<string, MinuteUsage>();
  for (const name of names) {
    const usages = samples.map((sample) => sample.get(name));
    const known = usages.filter((usage) => usage !== undefined);
    const least = (of: (usage: (typeof known)[number]) => number) =>
      Math.min(...usages.map((usage) => (usage ? of(usage) : 0)));
    const most = (of: (usage: (typeof known)[number]) => number) => Math.max(...known.map(of));
    const own = known.filter((usage): usage is Usage & OwnFigures => usage.heap !== undefined);
    const peaks: Record<number, number> = {};
    for (const { processes } of known) {
      for (const [pid, rss] of Object.entries(processes))
        peaks[Number(pid)] = Math.max(peaks[Number(pid)] ?? 0, rss);
    }
    roles.set(name, {
      rss: least((usage) => usage.rss),
      anonymous: least((usage) => usage.anonymous),
      descriptors: most((usage) => usage.descriptors),
      connections: most((usage) => usage.connections),
      peaks,
      ...(own.length > 0 && {
        heap: Math.min(...own.map(({ heap }) => heap)),
        external: Math.min(...own.map(({ external }) => external)),
        handles: Math.max(...own.map(({ handles }) => handles)),
      }),
    });
  }
  return { minute, roles };
}

/** Names of the roles, in the order of their first appearance. */
export function rolesOf(minutes: readonly Minute[]): string[] {
  return [...new Set(minutes.flatMap(({ roles }) => [...roles.keys()]))];
}

/**
 * Child processes of a role that have been replaced, with their peak memory, in the order of their exit. Postgres
 * processes do not count as replaced when they exit, because each serves one connection.
 */
export function replacedProcesses(minutes: readonly Minute[], role: string): Point[] {
  if (!role.includes(' ')) return [];
  const lives = new Map<number, Point>();
  for (const { minute, roles } of minutes) {
    for (const [pid, peak] of Object.entries(roles.get(role)?.peaks ?? {})) {
      const value = Math.max(lives.get(Number(pid))?.value ?? 0, peak);
      lives.set(Number(pid), { minute, value });
    }
  }
  const last = minutes.at(-1)?.minute;
  return [...lives.values()].filter(({ minute }) => minute !== last).toSorted((a, b) => a.minute - b.minute);
}

/**
 * The slope of a role in MB an hour. If the processes of the role are replaced, which bounds their growth, it is the
 * slope of the peak memory of successive processes.
 */
export function slopeOf(minutes: readonly Minute[], role: string, measure: Measure): Slope | undefined {
  const replaced = replacedProcesses(minutes, role);
  if (replaced.length > 0 && measure !== 'rss') return undefined;
  const points =
    replaced.length > 0
      ? replaced
      : minutes.flatMap(({ minute, roles }) => {
          const value = roles.get(role)?.[measure];
          return value === undefined ? [] : [{ minute, value }];
        });
  return fitSlope(points.map(({ minute, value }) => ({ minute, value: value / MEGABYTE })));
}
