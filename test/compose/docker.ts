import { z } from 'zod';
import { readConfig } from '../../domain/schemas/read-config.ts';
import { bringUp } from './composition.ts';
import { openPodman } from './podman.ts';

/**
 * `docker` as far as the runbook uses it, by Podman: `up` waits for conditions, and `run` starts no other service, which
 * podman-compose would start again without them.
 */
const config = readConfig(
  [z.object({ COMPOSE_TEST_ENV: z.string(), COMPOSE_TEST_OVERRIDE: z.string() })],
  process.env,
);
const [, , group = '', command = '', ...rest] = process.argv;
const podman = await openPodman(config.COMPOSE_TEST_ENV, config.COMPOSE_TEST_OVERRIDE);
if (group === 'volume') console.log(await podman.run([group, command, ...rest]));
else if (command === 'up') {
  const names = rest.filter((word) => !word.startsWith('-'));
  await bringUp(podman, console.error, names.length > 0 ? names : undefined);
} else {
  const own = { exec: ['-T'], run: ['-T', '--no-deps'] }[command] ?? [];
  await podman.attach([command, ...own.filter((option) => !rest.includes(option)), ...rest]);
}
