import { containmentHere } from '../../../engines/hosts/containment/plan.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { workerConfig } from '../../../worker/config.ts';
import type { Area } from '../run-checks.ts';

const REMEDY =
  'use a newer kernel, or a container runtime whose seccomp profile allows Landlock, see SECURITY.md';

/** Starts a contained process on this machine, as workers do. */
export const containment: Area = {
  name: 'Containment',
  slices: [workerConfig],
  check(env, report) {
    const { level, detail } = containmentHere();
    const { CONTAINMENT } = readConfig([workerConfig], env);
    if (level === 'full') report.ok('child processes', 'can only compute');
    else if (CONTAINMENT === 'required') report.fail('child processes', `${level}: ${detail}`, REMEDY);
    else report.warn('child processes', `${level}: ${detail}`, REMEDY);
    return Promise.resolve();
  },
  remedy: () => REMEDY,
};
