import { ocrConfig } from '../../../adapters/models/ocr/config.ts';
import { visionConfig } from '../../../adapters/models/vision/config.ts';
import { s3Config } from '../../../adapters/object-store/config.ts';
import { vectorConfig } from '../../../adapters/vector-index/config.ts';
import { apiConfig } from '../../../api/config.ts';
import { databaseConfig } from '../../../db/config.ts';
import { ConfigError, readConfig } from '../../../domain/schemas/read-config.ts';
import { temporalConfig } from '../../../temporal/config.ts';
import { workerConfig } from '../../../worker/config.ts';
import type { Area } from '../finding.ts';

const SLICES = [
  apiConfig,
  workerConfig,
  databaseConfig,
  temporalConfig,
  s3Config,
  ocrConfig,
  visionConfig,
  vectorConfig,
];

/** Every problem of the settings of the API and the workers. */
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
