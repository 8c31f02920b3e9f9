import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';

/** An installed package with its version, such as "minio 8.0.7". */
export function packageVersion(name: string): string {
  const path = findPackageJSON(name, import.meta.url);
  if (path === undefined) throw new Error(`${name} is not installed`);
  const { version } = JSON.parse(readFileSync(path, 'utf8')) as { version: string };
  return `${name} ${version}`;
}
