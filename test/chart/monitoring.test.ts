import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { parse, stringify } from 'yaml';
import { PROJECT_ROOT } from '../../dev/project-root.ts';
import { findPrometheus } from '../support/prometheus.ts';

/** The alerts and the dashboard of the chart, checked by Prometheus's own tool and against the metrics that exist. */
interface Rule {
  alert?: string;
  record?: string;
  expr: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
}
const MONITORING = join(PROJECT_ROOT, 'charts/darkroom/monitoring');
const run = promisify(execFile);
const folder = await mkdtemp(join(tmpdir(), 'darkroom-rules-'));
after(() => rm(folder, { recursive: true }));
const { groups } = parse(await readFile(join(MONITORING, 'rules.yaml'), 'utf8')) as {
  groups: { name: string; rules: Rule[] }[];
};
const rules = groups.flatMap((group) => group.rules);
const { panels } = JSON.parse(await readFile(join(MONITORING, 'dashboard.json'), 'utf8')) as {
  panels: { id: number; title: string; targets?: { expr: string }[] }[];
};
const drawn = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
const prometheus = await findPrometheus();

test(
  'rules and queries of the dashboard are accepted by promtool',
  { skip: prometheus.missing },
  async () => {
    const queries = drawn.map((expr, index) => ({ record: `dashboard:${index}`, expr }));
    for (const file of [{ groups }, { groups: [{ name: 'dashboard', rules: queries }] }]) {
      const path = join(folder, 'rules.yaml');
      await writeFile(path, stringify(file));
      await run(join(prometheus.folder, 'promtool'), ['check', 'rules', path]);
    }
  },
);

test('rules and dashboard use only metrics that a process exposes or a rule records', async () => {
  const sources = globSync('{api,worker,services,db}/**/*.ts', { cwd: PROJECT_ROOT });
  const texts = await Promise.all(sources.map((path) => readFile(join(PROJECT_ROOT, path), 'utf8')));
  const exposed = new Set(
    texts.flatMap((text) => [...text.matchAll(/'(darkroom_[a-z_]+)'/g)].map(([, name]) => name)),
  );
  const recorded = new Set(rules.map(({ record }) => record));
  for (const expr of [...rules.map((rule) => rule.expr), ...drawn]) {
    for (const [name] of expr.matchAll(/darkroom[_:][a-z0-9_:]+/g)) {
      const metric = name.replace(/_(bucket|count)$/, '');
      assert.ok(recorded.has(name) || exposed.has(metric) || exposed.has(name), name);
    }
  }
});

test('each alert has a severity, a summary and a section of the runbook', async () => {
  const runbook = await readFile(join(PROJECT_ROOT, 'docs/runbook.md'), 'utf8');
  const anchors = new Set(
    [...runbook.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replaceAll(/[^a-z0-9 -]/g, '')
        .replaceAll(' ', '-'),
    ),
  );
  for (const { alert, labels, annotations } of rules.filter((rule) => rule.alert !== undefined)) {
    assert.ok(['critical', 'warning'].includes(labels?.['severity'] ?? ''), alert);
    assert.ok(annotations?.['summary'], alert);
    const [page, anchor = ''] = annotations['runbook']?.split('#') ?? [];
    assert.equal(page, 'docs/runbook.md', alert);
    assert.ok(anchors.has(anchor), `${alert ?? ''}: #${anchor}`);
  }
});

test('panels of the dashboard have unique ids and titles', () => {
  assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
  assert.equal(new Set(panels.map(({ title }) => title)).size, panels.length);
});
