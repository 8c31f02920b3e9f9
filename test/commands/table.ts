import type { Smoke } from './smoke.ts';

/** Commands that need no running stack: each starts the processes it needs. */
export const ALONE: Record<string, Smoke> = {
  demo: {
    command: ['demo', '--exit'],
    prints: [
      /^Darkroom is ready\.$/m,
      /^Search for “rocket”: Rocket$/m,
      /^Search for “customs house”: The harbour museum$/m,
      /^First result \d+\.\d s after launch\.$/m,
    ],
  },
  chaos: {
    command: ['chaos', '--files', '12', '--kills', '2'],
    prints: [
      /^kills +[\w-]+ \d/m,
      /^webhooks +\d+ events in \d+ requests, 0 missing or incorrect/m,
      /^chaos survived: 12 of 12 files acknowledged, 2 of 2 kills, .*audit holds/m,
    ],
  },
  'build:clients': {
    command: ['build:clients'],
    prints: [
      /\/darkroom-client-\d+\.\d+\.\d+\.tgz$/m,
      /\/darkroom_client-\d+\.\d+\.\d+\.tar\.gz$/m,
      /\/darkroom_client-\d+\.\d+\.\d+-py3-none-any\.whl$/m,
    ],
  },
  'test:python': {
    command: ['test:python'],
    prints: [
      /^types passed$/m,
      /^sdk\/python\/tests passed$/m,
      /^first_day\.py passed\ncompleted pump-manual\.pdf\npump-manual\.pdf \[2\]\n\{'date': '2026-11-21', 'total': 13\.5\}$/m,
    ],
  },
};

/** Measurements and stress tests of `lab/`: slow, and they fail only after changes of their own. */
export const LAB: Record<string, Smoke> = {
  soak: {
    command: ['soak', '--minutes', '0.3', '--measure', '5', '--warm-up', '0'],
    prints: [
      /^Capacity \d+\.\d+ files a second, load /m,
      /^minute 1, MB +RSS/m,
      /^api +\d/m,
      /^soak was too short to judge: 1 minutes/m,
    ],
    alsoExitsWith: 1,
  },
  noisy: {
    command: ['noisy', '--hostile', '2', '--ordinary', '1', '--patience', '0'],
    prints: [
      /^medium +p50 alone/m,
      /^all(?: +\d+\.\d s){4} +\d+\.\d\d$/m,
      /^\d+ hostile files had not ended/m,
    ],
    // With one file of each medium there is no p95.
    alsoExitsWith: 1,
  },
  fuzz: {
    command: ['fuzz', '--cases', '20', '--inputs', '20', '--minutes', '1'],
    prints: [
      /^a key of an owner: \d+ cases, \d+ of \d+ operations/m,
      /^an anonymous caller: \d+ cases/m,
      /^(multipart|json|cursors|live|documents|images) +20( +\d+){4}$/m,
    ],
    // Findings concern the service, not the command, and differ between runs.
    alsoExitsWith: 1,
  },
  capacity: {
    command: ['capacity', '--images', '2', '--documents', '1', '--scans', '0'],
    prints: [
      /^one +image of 0\.2 MP +image of 6 MP +page with text +idle second$/m,
      /^cpu, all processes \(ms\)(?: +[\d.,]+){4}$/m,
      /^history events(?: +[\d.,]+){4}$/m,
      /^Measured: 2 × image of 0\.2 MP in [\d.]+ s, 2 × image of 6 MP in [\d.]+ s, 10 × page with text in [\d.]+ s\.$/m,
    ],
  },
  bench: { command: ['bench', 'P3', '--rounds', '1'], prints: [/^P3 /m] },
  'quality:documents': {
    command: ['quality:documents', '--only', 'Word', '--alone', '--structure'],
    prints: [/^ {2}Word \(word\) +\d/m, /^word \(1 documents\)/m],
  },
};

/** Commands for a running stack, in order. */
export const ON_A_STACK: Record<string, Smoke | ((fileId: string) => Smoke)> = {
  doctor: { command: ['doctor'], prints: [/^✓ \S/m, /^Ready/m] },
  ingest: {
    command: ['ingest', 'dev/samples', '--tags', 'smoke'],
    prints: [/^9 sent \(.*\), 0 already there, 0 rejected, 0 failed, in \d/m],
  },
  status: (fileId) => ({
    command: ['status', fileId],
    prints: [
      new RegExp(`^File ${fileId}: completed\\.`, 'm'),
      /^ {2}run +generation 1, completed/m,
      /^They agree\.$/m,
    ],
  }),
  admin: {
    command: ['admin', 'create-tenant', 'Smoke', '--owner', 'owner@smoke.example', '--tier', 'starter'],
    prints: [/^Created tenant [0-9a-f-]{36}\.$/m, /^Password +\S+$/m],
  },
  audit: { command: ['audit'], prints: [/^I1 +holds: /m, /^I12 +holds: /m, /^All invariants hold\.$/m] },
};

/** Commands that no test here calls, with their caller or the test that compares their output. */
export const ELSEWHERE: Record<string, string> = {
  'test:shared': '.ci/run',
  'test:flaky': 'developers, for a test that failed once',
  'test:alone': '.ci/run',
  'test:chart': 'developers; `test:alone` includes it',
  'test:lab': 'developers who change `lab/`, and once a week',
  'test:kubernetes': 'developers who change the chart, on a machine with Go',
  'test:compose': 'developers, on a machine with Podman',
  'test:upgrade': 'developers, before a release',
  'test:elsewhere': 'developers, with the addresses of servers',
  'test:faults': 'developers; `test:alone` includes it',
  'test:commands': 'developers; `test:alone` includes it',
  'test:console': 'developers; `test:shared` includes it',
  'test:integration': 'developers; `test:shared` includes it',
  check: '.ci/run',
  'build:workflows': 'every start of a stack',
  'build:console': 'every start of a stack',
  models: 'dev/launcher/fetch-models.ts, beside every start',
  screenshots: 'a demo that has been added, and a person who looks at the pictures',
  docs: 'test/unit/project/configuration-page.test.ts',
  openapi: 'test/unit/http/openapi.test.ts',
  examples: 'test/integration/openapi/generated-client.test.ts',
  'migration:create': 'db/create-migration.ts, by developers',
  'history:save': 'test/replay/record.ts',
};
