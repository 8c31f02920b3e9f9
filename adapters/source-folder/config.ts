import { resolve } from 'node:path';
import { z } from 'zod';
import { isBelow, type AllowedFolder } from './allowed-folder.ts';

const ALLOWED = /^(\*|[0-9a-f-]{36}):(\/.*)$/i;

/** Folders of the server that files are imported from. */
export const sourceFolderConfig = z.object({
  IMPORT_FOLDERS: z
    .string()
    .default('')
    .transform((text, context): AllowedFolder[] =>
      text
        .split(',')
        .flatMap((one) => one.trim() || [])
        .map((one, _index, all) => {
          const [, of, path] = ALLOWED.exec(one) ?? [];
          if (of === undefined || path === undefined) {
            const message = `${one} is no absolute path after \`*:\`, for every account, or \`ACCOUNT_ID:\``;
            context.addIssue({ code: 'custom', message });
            return z.NEVER;
          }
          const folder = resolve(path);
          if (of === '*') return { path: folder };
          const shared = all.find(
            (other) => other.startsWith('*:') && isBelow(resolve(other.slice(2)), folder),
          );
          if (shared !== undefined)
            context.addIssue({ code: 'custom', message: `${one} is open to every account by ${shared}` });
          return { path: folder, tenantId: of.toLowerCase() };
        }),
    )
    .describe(
      'folders whose files admins may import, with all below them, separated by commas: `ACCOUNT_ID:/absolute/path` for that account, `*:/absolute/path` for every account, with open registration anybody. Without any, nobody may. The workers read the files',
    ),
});
