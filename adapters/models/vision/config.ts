import { z } from 'zod';
import { VLM_PROVIDERS, type VlmProvider } from '../../../domain/accounts/vlm-providers.ts';
import { OPENAI_URL, type OpenAiEndpoint } from '../openai-client.ts';

const url = z
  .url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' })
  .refine((given) => !/^https?:\/\/[^/?#]*@/i.test(given), 'must not hold a password, use the API key')
  .optional()
  .describe('OpenAI-compatible endpoint, with the version in its path');
const key = z.string().optional().describe('key of that endpoint');
const model = z.string().optional().describe('name of the vision model there');
/** Below the activity's timeout of two minutes, so that the cause of a timeout is known. */
const timeout = z.coerce.number().min(1).max(110).default(60).describe('time limit of one call');
const rate = z.coerce
  .number()
  .positive()
  .optional()
  .meta({ description: 'calls a second, over all workers', shownDefault: 'no limit' });

const settings = z.object({
  VISION_PROVIDERS: z
    .string()
    .default(VLM_PROVIDERS.join(','))
    .transform((names) => names.split(',').map((name) => name.trim()))
    .pipe(z.array(z.enum(VLM_PROVIDERS)))
    .describe('order of preference; providers that are not configured are skipped'),
  OPENAI_BASE_URL: url,
  OPENAI_API_KEY: key,
  VISION_MODEL: z.string().default('gpt-4o-mini').describe('name of the vision model there'),
  VISION_TIMEOUT_SECONDS: timeout,
  VISION_RATE_PER_SECOND: rate,
  VISION_ANTHROPIC_BASE_URL: url,
  VISION_ANTHROPIC_API_KEY: key,
  VISION_ANTHROPIC_MODEL: model,
  VISION_ANTHROPIC_TIMEOUT_SECONDS: timeout,
  VISION_ANTHROPIC_RATE_PER_SECOND: rate,
  VISION_GOOGLE_BASE_URL: url,
  VISION_GOOGLE_API_KEY: key,
  VISION_GOOGLE_MODEL: model,
  VISION_GOOGLE_TIMEOUT_SECONDS: timeout,
  VISION_GOOGLE_RATE_PER_SECOND: rate,
  VISION_AZURE_BASE_URL: url,
  VISION_AZURE_API_KEY: key,
  VISION_AZURE_MODEL: model,
  VISION_AZURE_TIMEOUT_SECONDS: timeout,
  VISION_AZURE_RATE_PER_SECOND: rate,
  VISION_AWS_BASE_URL: url,
  VISION_AWS_API_KEY: key,
  VISION_AWS_MODEL: model,
  VISION_AWS_TIMEOUT_SECONDS: timeout,
  VISION_AWS_RATE_PER_SECOND: rate,
});
export type VisionConfig = z.output<typeof settings>;

/** Setting names of each provider, and its public endpoint if all customers share one. */
export const PROVIDER_SETTINGS = {
  openai: {
    baseUrl: 'OPENAI_BASE_URL',
    apiKey: 'OPENAI_API_KEY',
    model: 'VISION_MODEL',
    timeoutSeconds: 'VISION_TIMEOUT_SECONDS',
    ratePerSecond: 'VISION_RATE_PER_SECOND',
    publicUrl: OPENAI_URL,
  },
  anthropic: { ...settingsOf('VISION_ANTHROPIC'), publicUrl: 'https://api.anthropic.com/v1' },
  google: {
    ...settingsOf('VISION_GOOGLE'),
    publicUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
  },
  azure: { ...settingsOf('VISION_AZURE'), publicUrl: undefined },
  aws: { ...settingsOf('VISION_AWS'), publicUrl: undefined },
} as const satisfies Record<VlmProvider, Record<string, string | undefined>>;

/**
 * Settings of the vision models. A provider is configured by its URL or key; without any, images are described from
 * measurements.
 */
export const visionConfig = settings.superRefine((config, context) => {
  for (const provider of VLM_PROVIDERS) {
    const { baseUrl, apiKey, model: name, publicUrl } = PROVIDER_SETTINGS[provider];
    if (config[baseUrl] === undefined && config[apiKey] === undefined) continue;
    const required = (setting: string, by: string) =>
      context.addIssue({ code: 'custom', path: [setting], message: `required with ${by}` });
    if (config[baseUrl] === undefined && publicUrl === undefined) required(baseUrl, apiKey);
    if (config[name] === undefined) required(name, config[apiKey] === undefined ? baseUrl : apiKey);
  }
});

function settingsOf<const P extends string>(prefix: P) {
  return {
    baseUrl: `${prefix}_BASE_URL`,
    apiKey: `${prefix}_API_KEY`,
    model: `${prefix}_MODEL`,
    timeoutSeconds: `${prefix}_TIMEOUT_SECONDS`,
    ratePerSecond: `${prefix}_RATE_PER_SECOND`,
  } as const;
}

/** The endpoint of a provider of vision models. */
export interface VisionEndpoint extends OpenAiEndpoint {
  provider: VlmProvider;
  model: string;
  /** Calls a second, over all workers. */
  ratePerSecond?: number;
}

/** The configured providers in order of preference. */
export function visionEndpoints(config: VisionConfig): VisionEndpoint[] {
  return [...new Set(config.VISION_PROVIDERS)].flatMap((provider) => {
    const names = PROVIDER_SETTINGS[provider];
    const apiKey = config[names.apiKey];
    const baseUrl = config[names.baseUrl] ?? (apiKey === undefined ? undefined : names.publicUrl);
    const model = config[names.model];
    const ratePerSecond = config[names.ratePerSecond];
    if (baseUrl === undefined || model === undefined) return [];
    return {
      provider,
      baseUrl,
      model,
      timeoutSeconds: config[names.timeoutSeconds],
      ...(apiKey !== undefined && { apiKey }),
      ...(ratePerSecond !== undefined && { ratePerSecond }),
    };
  });
}
