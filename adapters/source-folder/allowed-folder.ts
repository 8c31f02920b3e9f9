import { resolve, sep } from 'node:path';

/** A folder that the operator allows, with all below it. */
export interface AllowedFolder {
  path: string;
  /** The only account that may read it; every account without. */
  tenantId?: string;
}

/**
 * Whether a path is below an allowed folder by its name, without a look at the file system.
 *
 * @returns the folder
 */
export function allowedFolder(
  folders: readonly AllowedFolder[],
  tenantId: string,
  path: string,
): AllowedFolder | undefined {
  const wanted = resolve('/', path);
  return folders.find(
    (folder) =>
      (folder.tenantId === undefined || folder.tenantId === tenantId) && isBelow(folder.path, wanted),
  );
}

/** Whether a path is that of a folder or below it, by their names. */
export function isBelow(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}
