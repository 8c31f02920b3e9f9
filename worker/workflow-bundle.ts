import type { Logger } from 'pino';
import { createHash } from 'node:crypto';
import {
  closeSync,
  globSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Everything workflows may import at run time, according to the import rules. */
const SOURCES = '{workflows,temporal/contract,domain}/**/*.ts';

/** Entry point of the workflows when there is no bundle. */
export const WORKFLOWS_PATH = join(ROOT, 'workflows', 'index.ts');
/** What intercepts the calls of all workflows. */
export const WORKFLOW_INTERCEPTORS = [join(ROOT, 'workflows', 'trace-runs.ts')];
const DEFAULT_PATH = join(ROOT, 'dist', 'workflow-bundle.js');

/** Identifies the inputs of a bundle: SHA-256 of the workflow sources below `root` and of the SDK version. */
export function hashWorkflowSources(root = ROOT): string {
  const hash = createHash('sha256');
  const sdk = createRequire(import.meta.url)('@temporalio/worker/package.json') as { version: string };
  hash.update(sdk.version);
  for (const file of globSync(SOURCES, { cwd: root }).toSorted()) {
    hash.update(`\0${file}\0`).update(readFileSync(join(root, file)));
  }
  return hash.digest('hex');
}

/** Prepended to the first line of the code, so that the source map still fits. */
const stampOf = (hash: string): string => `/* workflow sources ${hash} */ `;

/** Whether the file is a bundle of the current sources; false if it does not exist. */
export function isCurrentBundle(path: string): boolean {
  const stamp = Buffer.from(stampOf(hashWorkflowSources()));
  const start = Buffer.alloc(stamp.length);
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
  try {
    readSync(file, start);
  } finally {
    closeSync(file);
  }
  return start.equals(stamp);
}

/**
 * Bundles the workflows, unless the file is already a current bundle. Safe to run from several processes at once.
 *
 * @returns the path, for `workflowBundle: { codePath }`
 */
export async function ensureWorkflowBundle(path = DEFAULT_PATH): Promise<string> {
  if (isCurrentBundle(path)) return path;
  const stamp = stampOf(hashWorkflowSources());
  // Loaded lazily: webpack takes a second to load, which a current bundle does not need.
  const { bundleWorkflowCode, DefaultLogger } = await import('@temporalio/worker');
  const logger = new DefaultLogger('WARN');
  const { code } = await bundleWorkflowCode({
    workflowsPath: WORKFLOWS_PATH,
    workflowInterceptorModules: WORKFLOW_INTERCEPTORS,
    logger,
  });
  mkdirSync(dirname(path), { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, stamp + code);
  renameSync(unfinished, path);
  return path;
}

/** The prebuilt workflows if they were built from the current sources; otherwise the sources, and logs why. */
export function chooseWorkflows(
  bundle: string | undefined,
  log: Pick<Logger, 'info' | 'warn'>,
): { workflowBundle: { codePath: string } } | { workflowsPath: string } {
  if (bundle === undefined) {
    log.info('WORKFLOW_BUNDLE is not set; bundling the workflows');
    return { workflowsPath: WORKFLOWS_PATH };
  }
  if (isCurrentBundle(bundle)) return { workflowBundle: { codePath: bundle } };
  log.warn({ bundle }, 'WORKFLOW_BUNDLE is missing or not built from these sources; bundling the workflows');
  return { workflowsPath: WORKFLOWS_PATH };
}
