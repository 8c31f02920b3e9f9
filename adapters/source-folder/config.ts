import { isAbsolute, resolve } from 'node:path';
import { z } from 'zod';
import type { AllowedFolder } from './source-folder.ts';

/** Folders of the server that files are imported from. */
export const sourceFolderConfig = z.object({
  IMPORT_FOLDERS: z
    .string()
    .default('')
    .transform((text, context): AllowedFolder[] =>
      text
        .split(',')
        .flatMap((one) => one.trim() || [])
        .map((one) => {
          const [, tenantId, path = ''] = /^(?:([0-9a-f-]{36}):)?(.*)$/i.exec(one) ?? [];
          if (!isAbsolute(path)) context.addIssue({ code: 'custom', message: `${one} is no absolute path` });
          return { path: resolve(path), ...(tenantId && { tenantId: tenantId.toLowerCase() }) };
        }),
    )
    .describe(
      'absolute paths, separated by commas, of folders whose files admins may import, with all below them; of every account, or with `ACCOUNT_ID:` before a path of that one. Without any, nobody may. The workers read the files',
    ),
});
