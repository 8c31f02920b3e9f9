import type { Engine } from '../client.ts';
import { imageImportWorkflowId } from '../contract/ids.ts';
import { IMPORT_IMAGE, type ImportTarget } from '../contract/import-image.ts';
import { lane, QUEUES, type PriorityName } from '../contract/queues.ts';
import { searchAttributes } from '../contract/search-attributes.ts';
import { START_DEADLINE_MS } from '../deadlines.ts';
import { unlessStarted } from './start-generation.ts';

/** A client waits for it. */
const PRIORITY: PriorityName = 'interactive';

/**
 * Starts the workflow that fetches an image, unless it was ever started. Idempotent.
 *
 * @throws EngineUnavailable
 */
export async function startImportImage(engine: Engine, { fileId, tenantId }: ImportTarget): Promise<void> {
  await unlessStarted(() =>
    engine.within(START_DEADLINE_MS, (client) =>
      client.workflow.start(IMPORT_IMAGE, {
        workflowId: imageImportWorkflowId(fileId),
        taskQueue: QUEUES.workflows,
        args: [{ fileId, tenantId, priority: PRIORITY }],
        workflowIdConflictPolicy: 'USE_EXISTING',
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        priority: lane(PRIORITY, tenantId),
        typedSearchAttributes: searchAttributes({ tenantId, mediaType: 'image' }),
        staticSummary: 'Import of an image from its URL',
      }),
    ),
  );
}
