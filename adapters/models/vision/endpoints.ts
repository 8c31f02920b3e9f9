import type { VlmProvider } from '../../../domain/accounts/vlm-providers.ts';
import type { OpenAiEndpoint } from '../openai-client.ts';
import { PROVIDER_SETTINGS, type VisionConfig } from './config.ts';

/** The endpoint of a provider of vision models. */
export interface VisionEndpoint extends OpenAiEndpoint {
  provider: VlmProvider;
  model: string;
  /** Calls a second, over all workers. */
  ratePerSecond?: number;
}

/** Of the configured providers, in the order of preference. */
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
