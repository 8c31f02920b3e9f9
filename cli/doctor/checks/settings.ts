import { API_SETTINGS } from '../../../api/settings.ts';
import { WORKER_SETTINGS } from '../../../worker/settings.ts';
import { ConfigError, readConfig } from '../../../domain/schemas/read-config.ts';
import type { Area } from '../run-checks.ts';

const SLICES = [...API_SETTINGS, ...WORKER_SETTINGS];

/** Reports every invalid setting of the API and the workers. */
export const settings: Area = {
  name: 'Settings',
  slices: [],
  async check(env, report) {
    try {
      readConfig(SLICES, env);
      report.ok('values', 'all are valid');
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      for (const problem of error.problems) {
        const [name = '', ...message] = problem.split(': ');
        report.fail(name, message.join(': '), 'correct it in the environment or in .env; see .env.example');
      }
    }
  },
  remedy: () => 'see .env.example',
};
