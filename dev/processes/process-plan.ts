/** The names of a stack's processes, for tests and people. */
export type ProcessName =
  | 'postgres'
  | 'temporal'
  | 's3'
  | 'qdrant'
  | 'api'
  | 'worker'
  | 'worker-cpu'
  | 'worker-ocr';

/** Variables handed to a child; undefined ones are left out. */
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
  /** The whole environment: nothing is inherited. */
  env: Env;
  cwd: string;
  logFile: string;
  user?: OsUser | undefined;
}

/** How to run, probe and stop one process of the stack. Plain data, so that a restart is just another start. */
export interface ProcessPlan extends ProgramPlan {
  name: ProcessName;
  /** The title people see. */
  title: string;
  /** Apps are restarted; a dead server ends the stack. */
  kind: 'app' | 'server';
  /** True once this process, and no other, is serving. Polled; an error counts as "not yet". */
  ready: (pid: number) => Promise<boolean>;
  readyWithinMs: number;
  /** Asks for an orderly stop; after the limit the process is killed. */
  stopSignal: NodeJS.Signals;
  stopWithinMs: number;
  /** What has to be removed before each start. */
  beforeStart?: () => Promise<void>;
  /** An early exit with this in its log is temporary: retried until readyWithinMs is over. */
  passing?: RegExp;
  /** What it leaves outside the home folder. */
  afterStop?: () => Promise<void>;
}
