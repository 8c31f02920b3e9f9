import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { PROJECT_ROOT } from '../../dev/project-root.ts';

/**
 * A command of the table in CONTRIBUTING.md, called as documented, with so little work that it takes seconds.
 */
export interface Smoke {
  /** Arguments after `npm run`, and after `--`. */
  command: [script: string, ...args: string[]];
  /** Lines that it must print. */
  prints: RegExp[];
  /** An exit code besides 0 that also means success. */
  alsoExitsWith?: number;
}

const ENDS_WITHIN_MS = 600_000;

/**
 * Adds a test that runs a command as a user does and expects exit code 0 and the listed output.
 *
 * @param smoke or a function that is called after the previous commands have ended
 * @param env   added to the environment
 */
export function testCommand(
  name: string,
  smoke: Smoke | (() => Promise<Smoke>),
  env: () => NodeJS.ProcessEnv,
): void {
  test(`npm run ${name}`, async () => {
    const { command, prints, alsoExitsWith = 0 } = typeof smoke === 'function' ? await smoke() : smoke;
    const { code, out, err } = await runScript(command, env());
    assert.ok(code === 0 || code === alsoExitsWith, `${out}\n${err}`);
    for (const line of prints) assert.match(out, line);
  });
}

/** Adds tests of commands that need no running stack, with a home of their own on free ports. */
export function testAlone(commands: Readonly<Record<string, Smoke>>): void {
  const home = mkdtempSync(join(tmpdir(), 'darkroom-commands-'));
  after(() => rmSync(home, { recursive: true, force: true }));
  const free = { PORT: '0', POSTGRES_PORT: '0', TEMPORAL_PORT: '0', TEMPORAL_UI_PORT: '0', S3_PORT: '0' };
  for (const [name, smoke] of Object.entries(commands))
    testCommand(name, smoke, () => ({ DARKROOM_HOME: home, ...free }));
}

async function runScript([script, ...args]: Smoke['command'], env: NodeJS.ProcessEnv) {
  const child = spawn('npm', ['run', '--silent', script, '--', ...args], {
    cwd: PROJECT_ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A command that hangs fails its test. SIGTERM makes it stop the processes that it has started.
    timeout: ENDS_WITHIN_MS,
    killSignal: 'SIGTERM',
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const [code, out, err] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { code, out, err };
}
