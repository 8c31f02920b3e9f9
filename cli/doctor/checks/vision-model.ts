import { OPENAI_URL } from '../../../adapters/models/openai-client.ts';
import { visionConfig } from '../../../adapters/models/vision/config.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { connectionRemedy } from '../explain-error.ts';
import type { Area } from '../finding.ts';

const WITHIN_MS = 10_000;

/** The model that describes images: its endpoint answers, takes the key, and has the model. Costs nothing. */
export const visionModel: Area = {
  name: 'Vision model',
  slices: [visionConfig],
  async check(env, report) {
    const { OPENAI_BASE_URL, OPENAI_API_KEY, VISION_MODEL: model } = readConfig([visionConfig], env);
    if (OPENAI_BASE_URL === undefined && OPENAI_API_KEY === undefined) {
      report.ok('endpoint', 'none: images are described from measurements');
      return;
    }
    const base = (OPENAI_BASE_URL ?? OPENAI_URL).replace(/\/+$/, '');
    const answer = await fetch(`${base}/models`, {
      headers: { ...(OPENAI_API_KEY !== undefined && { authorization: `Bearer ${OPENAI_API_KEY}` }) },
      signal: AbortSignal.timeout(WITHIN_MS),
    });
    if (answer.status === 401 || answer.status === 403) {
      report.fail('endpoint', `${base} answered ${answer.status}`, 'check OPENAI_API_KEY');
      return;
    }
    if (!answer.ok) {
      const detail = `${base} answers, but ${answer.status} to the list of models`;
      report.warn(
        'endpoint',
        detail,
        'upload an image and read its description; not every endpoint has the list',
      );
      return;
    }
    report.ok('endpoint', base);
    const text = await answer.text();
    if (text.includes(JSON.stringify(model))) report.ok('model', model);
    else report.warn('model', `${model} is not in its list`, 'check VISION_MODEL');
  },
  remedy: (error) => connectionRemedy(error, 'NODE_EXTRA_CA_CERTS', 'check OPENAI_BASE_URL'),
};
