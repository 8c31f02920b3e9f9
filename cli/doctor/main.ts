import { readFlags, wholeNumber } from '../shared/flags.ts';
import { runCommand } from '../shared/run-command.ts';
import { stackEnv } from '../shared/stack-env.ts';
import { containment } from './checks/containment.ts';
import { diskSpace } from './checks/disk-space.ts';
import { identityProvider } from './checks/identity-provider.ts';
import { imageModel } from './checks/image-model.ts';
import { importFolders } from './checks/import-folders.ts';
import { links } from './checks/links.ts';
import { mail } from './checks/mail.ts';
import { models } from './checks/models.ts';
import { objectStore } from './checks/object-store.ts';
import { postgres } from './checks/postgres.ts';
import { settings } from './checks/settings.ts';
import { textModel } from './checks/text-model.ts';
import { temporal } from './checks/temporal.ts';
import { traces } from './checks/traces.ts';
import { vectorIndex } from './checks/vector-index.ts';
import { videos } from './checks/videos.ts';
import { visionModel } from './checks/vision-model.ts';
import { findingsTable, runChecks, summaryOf } from './run-checks.ts';

const HELP = `Usage: npm run doctor -- [--json] [--within SECONDS]

Checks the settings in the environment, or else those of the stack on this machine, and whether each server is
reachable, grants the required permissions and is set up correctly. Each check takes at most SECONDS, 20 by default.
Nothing is changed: one object below doctor/ is stored and removed.

Exit code: 0 ready, perhaps with warnings, 1 a requirement is missing.`;
const FLAGS = {
  json: { type: 'boolean', default: false },
  within: { type: 'string', default: '20' },
} as const;
const AREAS = [
  settings,
  postgres,
  temporal,
  objectStore,
  vectorIndex,
  models,
  visionModel,
  textModel,
  imageModel,
  videos,
  links,
  containment,
  mail,
  identityProvider,
  traces,
  importFolders,
  diskSpace,
];
const MOST_SECONDS = 600;

await runCommand(HELP, async () => {
  const given = readFlags(process.argv.slice(2), FLAGS);
  if (!given) return undefined;
  const seconds = wholeNumber('--within', given.values.within, 1, MOST_SECONDS);
  const findings = await runChecks(AREAS, stackEnv(process.env) ?? process.env, seconds * 1000);
  const ready = findings.every(({ outcome }) => outcome !== 'failed');
  if (given.values.json) console.log(JSON.stringify({ ready, findings }, null, 2));
  else console.log([...findingsTable(findings), '', summaryOf(findings)].join('\n'));
  return ready ? 0 : 1;
});
