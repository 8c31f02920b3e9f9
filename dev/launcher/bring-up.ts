import type { Home } from './home.ts';
import type { Env, ProcessPlan } from '../processes/process-plan.ts';
import type { Secrets } from './secrets.ts';
import type { StackPorts } from './stack-ports.ts';

/** A step of the start: begun, and then done, failed, or dropped because another one failed. */
export interface PartEvent {
  title: string;
  state: 'begun' | 'done' | 'failed' | 'dropped';
  /** Where to find it, once done. */
  detail?: string;
}

/** What the steps of a start share. */
export interface BringUp {
  home: Home;
  ports: StackPorts;
  secrets: Secrets;
  /** The caller's environment. */
  env: Env;
  signal: AbortSignal;
  /** Starts a process and keeps its plan for later starts. */
  run: (plan: ProcessPlan) => Promise<void>;
  /** Reports a step, which resolves to its detail. */
  part: (title: string, work: () => Promise<string | undefined>) => Promise<void>;
  /** Waits for concurrent steps. The first failure stops the others and is thrown. */
  all: (steps: Promise<unknown>[]) => Promise<void>;
}

export function createBringUp(
  deps: Omit<BringUp, 'part' | 'all' | 'signal'> & {
    /** Its signal ends every wait. */
    life: AbortController;
    onPart: (event: PartEvent) => void;
  },
): BringUp {
  const { life, onPart, ...shared } = deps;
  return {
    ...shared,
    signal: life.signal,
    async part(title, work) {
      onPart({ title, state: 'begun' });
      try {
        const detail = await work();
        onPart({ title, state: 'done', ...(detail === undefined ? {} : { detail }) });
      } catch (error) {
        onPart({ title, state: life.signal.aborted ? 'dropped' : 'failed' });
        throw error;
      }
    },
    async all(steps) {
      await Promise.allSettled(steps.map((step) => step.catch((error: unknown) => life.abort(error))));
      life.signal.throwIfAborted();
    },
  };
}
