export type ProcessName =
  | 'postgres'
  | 'temporal'
  | 's3'
  | 'qdrant'
  | 'api'
  | 'worker'
  | 'worker-cpu'
  | 'worker-ocr';

/** The environment of a child process; undefined variables are omitted. */
export type Env = Record<string, string | undefined>;

/** An operating system user other than our own. */
export interface OsUser {
  uid: number;
  gid: number;
}

/** How to run one program whose output goes to a log file. */
export interface ProgramPlan {
  command: string;
  args: string[];
  /** The complete environment: nothing is inherited. */
  env: Env;
  cwd: string;
  logFile: string;
  user?: OsUser | undefined;
}

/** How to run, probe and stop one process of the stack. Stateless, so that a restart is just another start. */
export interface ProcessPlan extends ProgramPlan {
  name: ProcessName;
  /** Shown to the user. */
  title: string;
  /** Apps are restarted; a dead server ends the stack. */
  kind: 'app' | 'server';
  /** True once this process, and not another one, is ready. Polled; an error counts as "not yet". */
  ready: (pid: number) => Promise<boolean>;
  readyWithinMs: number;
  /** Requests a graceful stop; after the timeout the process is killed. */
  stopSignal: NodeJS.Signals;
  stopWithinMs: number;
  /** Cleanup before each start. */
  beforeStart?: () => Promise<void>;
  /** An early exit with this in its log is temporary: retried until readyWithinMs has passed. */
  retryable?: RegExp;
  /** Removes what the process leaves outside the home folder. */
  afterStop?: () => Promise<void>;
}
