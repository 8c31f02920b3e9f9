import { parseArgs } from 'node:util';
import { ensureWorkflowBundle } from './workflow-bundle.ts';

/** `node worker/build-workflows.ts [--out FILE]`: bundles the workflows, for WORKFLOW_BUNDLE of the workers. */
const { out } = parseArgs({ options: { out: { type: 'string' } } }).values;
console.log(await ensureWorkflowBundle(out));
