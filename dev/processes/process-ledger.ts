import { setTimeout as delay } from 'node:timers/promises';
import { readJson, writeJsonIfRoom } from './json-file.ts';
import { identifyProcess } from './process-identity.ts';
import { signalProcess } from './program.ts';

interface Entry {
  pid: number;
  identity: string;
  stopSignal: NodeJS.Signals;
}

/** Records the running child processes on disk, so that the next start can find those left by a killed launcher. */
export interface ProcessLedger {
  record(name: string, pid: number, stopSignal: NodeJS.Signals): void;
  forget(name: string): void;
  /** Stops processes left behind by an earlier launcher. Resolves to their names. */
  reap(): Promise<string[]>;
}

const PATIENCE_MS = 10_000;

export function openLedger(path: string): ProcessLedger {
  const entries = new Map(Object.entries((readJson(path) as Record<string, Entry> | undefined) ?? {}));
  const save = () => writeJsonIfRoom(path, Object.fromEntries(entries));
  return {
    record(name, pid, stopSignal) {
      const identity = identifyProcess(pid);
      if (identity === undefined) return;
      entries.set(name, { pid, identity, stopSignal });
      save();
    },
    forget(name) {
      if (entries.delete(name)) save();
    },
    async reap() {
      const left = [...entries].filter(([, entry]) => isAlive(entry));
      await Promise.all(left.map(([, entry]) => end(entry)));
      entries.clear();
      save();
      return left.map(([name]) => name);
    },
  };
}

function isAlive(entry: Entry): boolean {
  return identifyProcess(entry.pid) === entry.identity;
}

async function end(entry: Entry): Promise<void> {
  process.kill(entry.pid, entry.stopSignal);
  const deadline = Date.now() + PATIENCE_MS;
  while (isAlive(entry) && Date.now() < deadline) await delay(50);
  if (isAlive(entry)) process.kill(-entry.pid, 'SIGKILL');
  while (isAlive(entry)) await delay(20);
  // The rest of the group: a wrapper may have started the process without `exec`.
  signalProcess(-entry.pid, 'SIGKILL');
}
