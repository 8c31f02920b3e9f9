import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../../cli/shared/usage-error.ts';
import { numberOf, readFlags, wholeNumber } from '../../cli/shared/flags.ts';
import { runCommand } from '../../cli/shared/run-command.ts';
import { createPrincipals } from './principals.ts';
import { installSchemathesis, readReport, runSchemathesis, summarise } from './schemathesis.ts';
import { onDisposableStack } from '../shared/on-disposable-stack.ts';

const HELP = `Usage: npm run fuzz -- [options]

Sends valid and invalid requests derived from the OpenAPI document to a disposable stack, as every kind of caller, and
compares the responses with the document. Needs Python 3 and, the first time, PyPI: Schemathesis is installed in .cache/.

  --minutes N  time for the requests, shared by the callers, such as 10 or 0.5 (default 10)
  --seed N     seed of the requests (default 1)
  --help

Exit code: 0 no findings, 1 findings, 2 the run could not be completed.`;
const FLAGS = {
  minutes: { type: 'string', default: '10' },
  seed: { type: 'string', default: '1' },
} as const;
/** Time for the last requests to finish. */
const GRACE_MS = 120_000;

await runCommand(HELP, async () => {
  const given = readFlags(process.argv.slice(2), FLAGS);
  if (!given) return undefined;
  const seconds = numberOf('--minutes', given.values.minutes, 0.1, 24 * 60) * 60;
  const seed = wholeNumber('--seed', given.values.seed, 0, 2 ** 32 - 1);

  const env = {
    ...process.env,
    LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'info',
    // Otherwise logins beyond five a minute are rejected before their validation.
    AUTH_ATTEMPTS_PER_MINUTE: '1000000',
    // Otherwise all connections to Google are rejected before their validation. No server listens at this address.
    GOOGLE_CLIENT_ID: 'fuzz',
    GOOGLE_CLIENT_SECRET: 'fuzz',
    GOOGLE_BASE_URL: 'http://127.0.0.1:9',
  };
  const program = await installSchemathesis();
  const folder = mkdtempSync(join(tmpdir(), 'darkroom-fuzz-'));
  return onDisposableStack(env, {}, async (stack, signal) => {
    const principals = await createPrincipals(stack.runInfo);
    const share = Math.ceil(seconds / principals.length);
    const summaries: string[] = [];
    let found = 0;
    for (const { name, headers } of principals) {
      const reportPath = join(folder, `${summaries.length}.json`);
      const code = await runSchemathesis({
        program,
        env: process.env,
        apiUrl: stack.runInfo.api_url,
        headers,
        seconds: share,
        seed,
        reportPath,
        signal: AbortSignal.any([signal, AbortSignal.timeout(share * 1000 + GRACE_MS)]),
      });
      if (code !== 0 && code !== 1) throw new UsageError(`Schemathesis ended with exit code ${code}.`);
      summaries.push(summarise(name, readReport(reportPath)));
      found += code;
    }
    console.log(summaries.join('\n'));
    return found > 0 ? 1 : 0;
  }).finally(() => rmSync(folder, { recursive: true, force: true }));
});
