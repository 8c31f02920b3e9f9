import { execFile } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PROJECT_ROOT } from '../../dev/project-root.ts';
import { readCommands, readFences } from '../support/pages.ts';
import { PROJECT } from './podman.ts';

/** Users of the images of Postgres and of Darkroom. */
const [POSTGRES, NODE] = [999, 1000];
const MOST_MS = 600_000;

/** Runs the commands of "Backups" in the runbook in their order. */
export interface BackupCommands {
  /** A second file of the composition, which gives Postgres a folder for its backups. */
  override: string;
  /**
   * Runs the commands up to the first that contains a text, without it; by default all that are left.
   *
   * @returns what each printed
   * @throws Error if a command fails, or none contains the text
   */
  runUntil: (text?: string) => Promise<string[]>;
  /** Sets the moment to restore. */
  restoreTo: (moment: Date) => void;
}

/**
 * @param folder where folders of backups and files for the commands are made
 * @param envFile the settings of the composition
 */
export function readBackupCommands(folder: string, envFile: string): BackupCommands {
  const page = readFileSync(join(PROJECT_ROOT, 'docs/runbook.md'), 'utf8');
  const section = page.split(/^## /m).find((text) => text.startsWith('Backups\n')) ?? '';
  const left = readCommands(section).map(({ text }) => text);
  const backups = join(folder, 'backup');
  for (const [name, owner] of Object.entries({ postgres: POSTGRES, objects: NODE })) {
    mkdirSync(join(backups, name), { recursive: true });
    chownSync(join(backups, name), owner, owner);
  }
  let target = '';
  const here = (text: string) =>
    text
      .replaceAll('/srv/backup', backups)
      .replaceAll('darkroom_', `${PROJECT}_`)
      .replace(/(recovery_target_time = ')[^']*/, `$1${target}`)
      .replaceAll(/(backup\/base\/)\d{4}-\d\d-\d\d/g, '$1$(date +%F)');
  const override = join(folder, 'override.yml');
  writeFileSync(override, here(readFences(section).fences[0]?.lines.join('\n') ?? ''));
  const docker = join(folder, 'docker');
  writeFileSync(
    docker,
    `#!/bin/sh\nexec '${process.execPath}' '${join(import.meta.dirname, 'docker.ts')}' "$@"\n`,
  );
  chmodSync(docker, 0o755);
  const env = {
    ...process.env,
    PATH: `${folder}:${process.env['PATH']}`,
    COMPOSE_TEST_ENV: envFile,
    COMPOSE_TEST_OVERRIDE: override,
  };
  const run = async (text: string) => {
    const { stdout } = await promisify(execFile)('bash', ['-euc', here(text)], { env, timeout: MOST_MS });
    return stdout;
  };
  return {
    override,
    restoreTo: (moment) => void (target = moment.toISOString().replace('Z', '+00')),
    runUntil: async (text) => {
      const end = text === undefined ? left.length : left.findIndex((each) => each.includes(text));
      if (end < 0) throw new Error(`No command of the runbook contains "${text}".`);
      const printed: string[] = [];
      for (const command of left.splice(0, end)) printed.push(await run(command));
      return printed;
    },
  };
}
