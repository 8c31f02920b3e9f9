import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessName, ProcessPlan, Ending } from '../processes/program.ts';
import { firstLine } from '../processes/stack-error.ts';

const GIVE_UP = { deaths: 5, withinMs: 60_000 };
const BACKOFF = { firstMs: 500, mostMs: 10_000 };

/**
 * Handles unexpected exits: an app is restarted with backoff unless it exits too often; the exit of a server is fatal,
 * because the other processes depend on it.
 *
 * @param start  restarts a plan and resolves when it is ready
 * @param notice receives one line for the user
 * @param fatal  receives the reason why the stack cannot continue
 * @param signal aborted when the stack stops; nothing is restarted after that
 */
export function createSupervisor(deps: {
  start: (plan: ProcessPlan) => Promise<void>;
  notice: (line: string) => void;
  fatal: (line: string) => void;
  signal: AbortSignal;
}): (plan: ProcessPlan, ending: Ending) => void {
  const { start, notice, fatal, signal } = deps;
  const deaths = new Map<ProcessName, number[]>();

  const revive = async (plan: ProcessPlan, ending: string): Promise<void> => {
    const recent = (deaths.get(plan.name) ?? []).filter((at) => at > Date.now() - GIVE_UP.withinMs);
    recent.push(Date.now());
    deaths.set(plan.name, recent);
    if (recent.length >= GIVE_UP.deaths) {
      notice(
        `${plan.title} died ${recent.length} times in a minute and will not be restarted; see ${plan.logFile}, then start again.`,
      );
      return;
    }
    const pause = Math.min(BACKOFF.mostMs, BACKOFF.firstMs * 2 ** (recent.length - 1));
    notice(`${plan.title} stopped (${ending}); restarting in ${pause / 1000} s.`);
    await delay(pause, undefined, { signal });
    try {
      await start(plan);
      notice(`${plan.title} is running again.`);
    } catch (error) {
      if (!signal.aborted) await revive(plan, firstLine(error));
    }
  };

  return (plan, ending) => {
    if (signal.aborted) return;
    if (plan.kind === 'server') {
      fatal(
        `${plan.title} stopped unexpectedly (${ending}); see ${plan.logFile}, then start again. The data is kept.`,
      );
      return;
    }
    revive(plan, ending).catch((error: unknown) => {
      if (!signal.aborted) fatal(`${plan.title} cannot be restarted: ${firstLine(error)}`);
    });
  };
}
