import { join } from 'node:path';
import { readJson } from '../../dev/processes/json-file.ts';
import type { Stack } from '../../dev/launcher/stack.ts';
import type { OwnFigures, Sample } from './minutes.ts';
import { readProcesses } from './read-processes.ts';
import { send } from '../../client/send.ts';

const ANSWER_MS = 5_000;
const WORKERS = ['worker', 'worker-cpu', 'worker-ocr'] as const;
const GAUGES = {
  heap: 'nodejs_heap_size_used_bytes',
  external: 'nodejs_external_memory_bytes',
  handles: 'nodejs_active_handles_total',
} as const;

/** Reads the figures of every process of a stack, now. */
export function createSampler(stack: Stack): () => Promise<Sample> {
  const ports = readJson(join(stack.home, 'ports.json')) as Record<string, number>;
  const origins: Record<string, string> = {
    api: new URL(stack.runInfo.api_url).origin,
    ...Object.fromEntries(WORKERS.map((name) => [name, `http://127.0.0.1:${ports[name]}`])),
  };
  return async () => {
    const own = Object.fromEntries(
      await Promise.all(
        Object.entries(origins).map(async ([name, origin]) => [name, await readOwn(origin)] as const),
      ),
    );
    const usages = [...readProcesses(stack.runInfo.pids)].toSorted(([a], [b]) => a.localeCompare(b));
    return new Map(usages.map(([role, usage]) => [role, { ...usage, ...own[role] }] as const));
  };
}

/** Empty while the process does not answer. */
async function readOwn(origin: string): Promise<Partial<OwnFigures>> {
  try {
    const answer = await send({ url: origin }, 'GET', '/metrics', { signal: AbortSignal.timeout(ANSWER_MS) });
    return readGauges(await answer.text());
  } catch {
    return {};
  }
}

/** The figures in the Prometheus text of a process; empty unless it has all of them. */
export function readGauges(text: string): Partial<OwnFigures> {
  const figures = Object.entries(GAUGES).map(([key, name]) => {
    const [, value] = new RegExp(`^${name} (\\S+)$`, 'm').exec(text) ?? [];
    return [key, Number(value)] as const;
  });
  return figures.every(([, value]) => Number.isFinite(value)) ? Object.fromEntries(figures) : {};
}
