import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { PROJECT_ROOT } from '../../../dev/project-root.ts';
import { sharedRun } from '../../support/api.ts';
import { missingFrom, readCommands, type DocumentedCommand } from '../../support/pages.ts';

/** Runs the commands of these pages as a newcomer would: in order, in one shell, in the folder of the project. */
const run = sharedRun();
const folder = mkdtempSync(join(tmpdir(), 'darkroom-pages-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const PAGE_MS = 240_000;
/** The page of Python is run by `npm run test:python`. */
const PAGES = ['README.md', 'docs/api-guide.md', 'docs/guide/agents.md'];

/** Commands that are not run here, and why. Each must still be in a page. */
const ELSEWHERE: readonly [RegExp, string][] = [
  [/80573c52/, 'has an example id; test/acceptance/file-status.test.ts'],
  [/^npm (ci|start)|^npm run demo|npm start$/, 'starts the stack; test/integration/dev/dev-stack.test.ts'],
  [/^cp \.env|^docker compose/, 'needs a container engine; test/unit/project/compose.test.ts'],
  [/^npm run ingest/, 'needs a folder of the reader; test/acceptance/ingest.test.ts'],
  [/example\.com/, 'an address that does not exist; test/acceptance/analyze-images.test.ts'],
  [/storage-config|storage_target=custom/, 'needs a bucket; test/integration/storage/own-bucket.test.ts'],
  [/deletions/, 'needs a receipt of a purge; test/integration/trash/purge.test.ts'],
  [/\/review /, 'needs a vision model; test/acceptance/extractions.test.ts'],
  [/-X POST .*\/\$FILE\/retry$/, 'needs a failed file; test/acceptance/file-status.test.ts'],
  [/"provider": "s3"|"connection_id": "3f6c…"/, 'needs a bucket; test/integration/imports/imports.test.ts'],
  [/connections\/oauth/, 'needs an account at Google; test/integration/exports/connections.test.ts'],
];
const elsewhere = ({ text }: DocumentedCommand) => ELSEWHERE.find(([pattern]) => pattern.test(text));

for (const entry of readdirSync(PROJECT_ROOT)) {
  if (!['.darkroom', '.git', '.env'].includes(entry))
    symlinkSync(join(PROJECT_ROOT, entry), join(folder, entry));
}
symlinkSync(dirname(process.env['DARKROOM_RUN'] ?? ''), join(folder, '.darkroom'));

interface Ran {
  code: number;
  out: string;
  err: string;
}

/** Runs commands in one shell. The exit code of a refused request is 22. */
async function runInOneShell(name: string, commands: readonly DocumentedCommand[]): Promise<Ran[]> {
  const results = join(folder, `results-${name}`);
  mkdirSync(results);
  const origin = new URL(run.api_url).origin;
  const script = [
    'set -o pipefail',
    'curl() { command curl --fail-with-body --max-time 90 "$@"; }',
    ...commands.map(({ text }, index) => {
      const command = text.replaceAll('http://127.0.0.1:8080', origin);
      const at = join(results, String(index));
      return `{ ${command}\n} > ${at}.out 2> ${at}.err\necho $? > ${at}.code`;
    }),
  ].join('\n');
  const path = join(results, 'script.sh');
  writeFileSync(path, script);
  await promisify(execFile)('bash', [path], { cwd: folder, timeout: PAGE_MS });
  return commands.map((_command, index) => {
    const part = (kind: string) => readFileSync(join(results, `${index}.${kind}`), 'utf8');
    return { code: Number(part('code')), out: part('out'), err: part('err') };
  });
}

/** How a command deviated from its documentation; empty if it did not. */
function troubleOf({ text, line, answer }: DocumentedCommand, { code, out, err }: Ran): string[] {
  const what = `line ${line}: ${text}`;
  const refused = typeof answer === 'object' && answer !== null && 'code' in answer && 'detail' in answer;
  if (code !== (refused ? 22 : 0)) return [`${what}\nended with ${code}\n${out.slice(0, 500)}\n${err}`];
  if (answer === undefined) return [];
  const missing = missingFrom(answer, JSON.parse(out));
  return missing.length > 0
    ? [`${what}\nanswers otherwise: ${missing.join(', ')}\n${out.slice(0, 1500)}`]
    : [];
}

for (const page of PAGES) {
  test(`the commands of ${page} work in order, with the documented answers`, async () => {
    const commands = readCommands(readFileSync(join(PROJECT_ROOT, page), 'utf8')).filter(
      (command) => !elsewhere(command),
    );
    const ran = await runInOneShell(page.replaceAll(/\W/g, '-'), commands);
    assert.equal(
      ran.flatMap((result, index) => troubleOf(commands[index] as DocumentedCommand, result)).join('\n\n'),
      '',
    );
  });
}

test('every command that is left to another test is still in a page, and the test exists', () => {
  const all = PAGES.flatMap((page) => readCommands(readFileSync(join(PROJECT_ROOT, page), 'utf8')));
  for (const [pattern, why] of ELSEWHERE) {
    assert.ok(
      all.some(({ text }) => pattern.test(text)),
      `no command matches ${pattern}`,
    );
    assert.ok(existsSync(join(PROJECT_ROOT, why.split('; ')[1] ?? 'none')), why);
  }
});
