import { type IndexName, REBUILD_INDEX, rebuildWorkflowId } from '../../temporal/contract/indexes.ts';
import { COMMAND_DEADLINE_MS } from '../../temporal/deadlines.ts';
import { NamespaceRefused, prepareNamespace } from '../../temporal/prepare-namespace.ts';
import { startWorkflow } from '../../temporal/start-workflow.ts';
import { UsageError } from '../shared/usage-error.ts';
import { wholeNumber } from '../shared/flags.ts';
import { type Command, withEngine, withDatabase } from './command.ts';
import { encryptionConfig } from '../../adapters/encryption/config.ts';
import { createSecretCipher } from '../../adapters/encryption/secret-cipher.ts';
import { readConfig } from '../../domain/schemas/read-config.ts';
import { targetCollection } from '../../services/media/vector-collections.ts';
import { rotateEncryptionKey } from '../../services/connections/rotate-encryption-key.ts';
import { PURGE_FILES, PURGE_NOW_ID } from '../../temporal/contract/purge-files.ts';

const MAX_DAYS = 9999;
/** A new namespace is usable only after every server has refreshed its metadata. */
const PREPARED_WITHIN_MS = 120_000;

export const ENGINE_COMMANDS: Record<string, Command> = {
  'prepare-temporal': {
    usage: '',
    does: `creates the namespace TEMPORAL_NAMESPACE with its retention and search attributes, or adds missing attributes;
without the necessary permission, prints the commands for an administrator`,
    operands: 0,
    run: async (_operands, _flags, env) =>
      withEngine(env, async (engine) => {
        const changes = await prepareNamespace(engine, AbortSignal.timeout(PREPARED_WITHIN_MS)).catch(
          (error: unknown) => {
            throw error instanceof NamespaceRefused ? new UsageError(error.message, { cause: error }) : error;
          },
        );
        const { namespace } = engine.client.options;
        for (const change of changes) console.log(change);
        console.log(`The namespace ${namespace} is ready${changes.length === 0 ? '; nothing changed' : ''}.`);
        return 0;
      }),
  },
  'rebuild-index': rebuild('starts the workflow that re-adds every image to the similarity index', 'images'),
  'rebuild-chunks': rebuild(
    'starts the workflow that adds every document to the search index of the configured model',
    'chunks',
  ),
  purge: {
    usage: '--older-than DAYS',
    does: `starts the workflow that permanently removes files that have been in the trash for DAYS days; 0 removes
everything deleted at least an hour ago`,
    operands: 0,
    run: async (_operands, { 'older-than': days }, env) => {
      if (!days) return undefined;
      const age = wholeNumber('--older-than', days, 0, MAX_DAYS);
      return withEngine(env, async (engine) => {
        const options = { deadlineMs: COMMAND_DEADLINE_MS };
        const started = await startWorkflow(engine, PURGE_FILES, { days: age }, options);
        if (started) console.log(`The purge is running as workflow ${PURGE_NOW_ID}.`);
        else console.error('An earlier purge is still running; try again when it has ended.');
        return started ? 0 : 1;
      });
    },
  },
};

/** A command that starts the rebuild of an index, and with `--wait` ends when the rebuild does. */
function rebuild(does: string, index: IndexName): Command {
  return {
    usage: '[--wait]',
    does: `${does}; with --wait, waits for its end`,
    operands: 0,
    run: async (_operands, { wait }, env) =>
      withEngine(env, async (engine) => {
        const collection = await withDatabase(env, (em) => targetCollection(em, index));
        if (collection === undefined) {
          throw new UsageError('No worker has recorded its model: start one of the queue index first.');
        }
        const options = { deadlineMs: COMMAND_DEADLINE_MS };
        await startWorkflow(engine, REBUILD_INDEX, { index, collection }, options);
        const id = rebuildWorkflowId(index);
        console.log(`The rebuild is running as workflow ${id}.`);
        if (wait)
          console.log(
            `Index of ${index}: ${String(await engine.client.workflow.getHandle(id).result())} done.`,
          );
        return 0;
      }),
  };
}

export const ENCRYPTION_COMMANDS: Record<string, Command> = {
  'rotate-encryption-key': {
    usage: '',
    does: `re-encrypts with ENCRYPTION_KEY the secrets of tenants that were encrypted with one of ENCRYPTION_FORMER_KEYS;
safe to interrupt and to repeat`,
    operands: 0,
    run: (_operands, _flags, env) =>
      withDatabase(env, async (em) => {
        const cipher = createSecretCipher(readConfig([encryptionConfig], env));
        const { rotated, unreadable } = await rotateEncryptionKey(em, cipher, (progress) =>
          console.log(`${progress.rotated} secrets encrypted with key "${cipher.currentKeyId}" so far.`),
        );
        for (const { what, id, tenantId, reason } of unreadable) {
          console.error(`The credentials of ${what} ${id} of tenant ${tenantId}: ${reason}.`);
        }
        const rest =
          unreadable.length === 0
            ? 'Former keys are no longer needed.'
            : `${unreadable.length} could not be decrypted.`;
        console.log(`Done: ${rotated} secrets encrypted with key "${cipher.currentKeyId}". ${rest}`);
        return unreadable.length === 0 ? 0 : 1;
      }),
  },
};
