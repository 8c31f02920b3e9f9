import type { Home } from './home.ts';
import type { Env, ProcessPlan } from '../processes/program.ts';
import type { Secrets } from './secrets.ts';
import type { StackPorts } from './ports.ts';

/** A step of the startup: begun, then done, failed, or dropped because another step failed. */
export interface PartEvent {
  title: string;
  state: 'begun' | 'done' | 'failed' | 'dropped';
  /** The address, once started. */
  detail?: string;
}

/** The context shared by the steps of a startup. */
export interface BringUp {
  home: Home;
  ports: StackPorts;
  secrets: Secrets;
  /** The caller's environment. */
  env: Env;
  signal: AbortSignal;
  /** Starts a process and remembers its plan for restarts. */
  run: (plan: ProcessPlan) => Promise<void>;
  /** Runs a step, which resolves to its detail, and reports its progress. */
  part: (title: string, work: () => Promise<string | undefined>) => Promise<void>;
  /** Waits for concurrent steps. The first failure aborts the others and is thrown. */
  all: (steps: Promise<unknown>[]) => Promise<void>;
}

export function createBringUp(
  deps: Omit<BringUp, 'part' | 'all' | 'signal'> & {
    /** Aborts every wait. */
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
