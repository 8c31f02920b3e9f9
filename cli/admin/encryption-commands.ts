import { encryptionConfig } from '../../adapters/encryption/config.ts';
import { createSecretCipher } from '../../adapters/encryption/secret-cipher.ts';
import { readConfig } from '../../domain/schemas/read-config.ts';
import { rotateEncryptionKey } from '../../services/connections/rotate-encryption-key.ts';
import type { Command } from './command.ts';
import { withDatabase } from './with-servers.ts';

export const ENCRYPTION_COMMANDS: Record<string, Command> = {
  'rotate-encryption-key': {
    usage: '',
    does: `encrypts all secrets of tenants with ENCRYPTION_KEY that are encrypted with one of ENCRYPTION_FORMER_KEYS; safe to
repeat, and to interrupt`,
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
