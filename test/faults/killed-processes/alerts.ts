import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { PROJECT_ROOT } from '../../../dev/project-root.ts';
import { eventually } from '../../support/api.ts';
import { freePort } from '../../support/free-port.ts';
import { demoImage } from '../../support/images.ts';
import { findPrometheus } from '../../support/prometheus.ts';
import { own } from './stack.ts';

/** The alerts of the chart, by a real Prometheus that reads this stack. */
const { stack } = own;
const { client, ingest } = await own.newTenant();
const prometheus = await findPrometheus();

interface Alert {
  labels: { alertname: string; queue?: string };
  state: string;
}

test(
  'an alert fires while work waits for a worker that was stopped, and ends when it is back',
  { skip: prometheus.missing },
  async (context) => {
    const folder = await mkdtemp(join(tmpdir(), 'darkroom-prometheus-'));
    const rules = await readFile(join(PROJECT_ROOT, 'charts/darkroom/monitoring/rules.yaml'), 'utf8');
    await writeFile(join(folder, 'rules.yaml'), rules.replaceAll(/for: \d+m/g, 'for: 1s'));
    const api = new URL(client.origin).host;
    await writeFile(
      join(folder, 'prometheus.yml'),
      JSON.stringify({
        global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
        rule_files: ['rules.yaml'],
        scrape_configs: [{ job_name: 'darkroom', static_configs: [{ targets: [api] }] }],
      }),
    );
    const address = `127.0.0.1:${await freePort()}`;
    const server = spawn(
      join(prometheus.folder, 'prometheus'),
      [
        `--config.file=${join(folder, 'prometheus.yml')}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=${address}`,
      ],
      { stdio: 'ignore' },
    );
    context.after(async () => {
      server.kill();
      await once(server, 'exit');
      await rm(folder, { recursive: true, force: true });
    });
    const firing = async () => {
      const response = await fetch(`http://${address}/api/v1/alerts`);
      const { data } = (await response.json()) as { data: { alerts: Alert[] } };
      return data.alerts
        .filter(
          ({ state, labels }) => state === 'firing' && labels.alertname === 'DarkroomQueueWithoutWorker',
        )
        .map(({ labels }) => labels.queue);
    };
    await eventually(async () => assert.deepEqual(await firing(), []), 30);

    await stack.kill('worker-cpu', 'SIGTERM');
    await eventually(async () => assert.equal(stack.pid('worker-cpu'), undefined));
    const id = await ingest(demoImage('chelsea.jpg'));
    await eventually(async () => assert.deepEqual(await firing(), ['cpu']), 60);

    await stack.start('worker-cpu');
    assert.equal((await client.settled(id, 60)).primary_status, 'completed');
    await eventually(async () => assert.deepEqual(await firing(), []), 60);
  },
);
