import {
  PROVIDER_SETTINGS,
  visionConfig,
  visionEndpoints,
  type VisionEndpoint,
} from '../../../adapters/models/vision/config.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { connectionRemedy, explainError, type Area, type Report } from '../run-checks.ts';

const WITHIN_MS = 10_000;

/**
 * Checks for each provider of vision models that its endpoint responds, accepts the key and lists the model. Makes no
 * model call, so it costs nothing.
 */
export const visionModel: Area = {
  name: 'Vision models',
  slices: [visionConfig],
  async check(env, report) {
    const endpoints = visionEndpoints(readConfig([visionConfig], env));
    if (endpoints.length === 0) {
      report.ok('provider', 'none: images are described from measurements');
      return;
    }
    await Promise.all(endpoints.map((endpoint) => checkEndpoint(endpoint, report)));
  },
  remedy,
};

async function checkEndpoint(
  { provider, baseUrl, apiKey, model }: VisionEndpoint,
  report: Report,
): Promise<void> {
  const settings = PROVIDER_SETTINGS[provider];
  const base = baseUrl.replace(/\/+$/, '');
  try {
    const answer = await fetch(`${base}/models`, {
      headers: { ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }) },
      redirect: 'manual',
      signal: AbortSignal.timeout(WITHIN_MS),
    });
    if (answer.status === 401 || answer.status === 403) {
      report.fail(provider, `${base} answered ${answer.status}`, `check ${settings.apiKey}`);
      return;
    }
    if (!answer.ok) {
      const detail = `${base} is reachable, but answered ${answer.status} to the list of models`;
      report.warn(
        provider,
        detail,
        'upload an image and read its description; not every endpoint lists its models',
      );
      return;
    }
    const listed = (await answer.text()).includes(JSON.stringify(model));
    if (listed) report.ok(provider, `${base} has ${model}`);
    else report.warn(provider, `${base} has no ${model} in its list`, `check ${settings.model}`);
  } catch (error) {
    report.fail(provider, `${base}: ${explainError(error)}`, remedy(error));
  }
}

function remedy(error: unknown): string {
  return connectionRemedy(error, 'NODE_EXTRA_CA_CERTS', 'check the base URL of the provider');
}
