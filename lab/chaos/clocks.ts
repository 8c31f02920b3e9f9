import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StackOptions } from '../../dev/launcher/stack.ts';
import { APPS, type App } from './plan-faults.ts';

const LIBRARY = '{/usr/lib/*,/usr/lib,/usr/lib64}/faketime/libfaketimeMT.so.1';

/** The clocks of API and workers. */
export interface Clocks {
  /** Settings with which the apps use these clocks. */
  appEnv: NonNullable<StackOptions['appEnv']>;
  /** Sets the clock of an app to the true time plus a number of seconds. Takes effect within a second. */
  set(app: App, seconds: number): void;
  remove(): void;
}

/**
 * Clocks that differ from that of the machine, by libfaketime, which is loaded into each app. Timers of the apps, which do not
 * depend on the time of day, are not changed.
 *
 * @returns undefined where libfaketime is not installed
 */
export function createClocks(): Clocks | undefined {
  const [library] = globSync(LIBRARY);
  if (library === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'darkroom-clocks-'));
  const fileOf = (app: App) => join(folder, app);
  const set = (app: App, seconds: number) =>
    writeFileSync(fileOf(app), `${seconds < 0 ? '' : '+'}${seconds}\n`);
  const envOf = (app: App) => ({
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: fileOf(app),
    FAKETIME_CACHE_DURATION: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  });
  for (const app of APPS) set(app, 0);
  return {
    appEnv: Object.fromEntries(APPS.map((app) => [app, envOf(app)])),
    set,
    remove: () => rmSync(folder, { recursive: true }),
  };
}
