import { parseArgs } from 'node:util';
import { ensureWorkflowBundle } from './workflow-bundle.ts';

/** `node worker/build-workflows.ts [--out FILE]`: builds the bundle that WORKFLOW_BUNDLE points workers to. */
const { out } = parseArgs({ options: { out: { type: 'string' } } }).values;
console.log(await ensureWorkflowBundle(out));
