import { OPENAI_URL } from '../openai-client.ts';
import type { VisionConfig } from './config.ts';
import { createLocalVision } from './local-vision.ts';
import { createOpenAiVision } from './openai-vision.ts';
import type { VisionModel } from './vision-model.ts';

/** The vision models of this deployment. */
export interface VisionModels {
  /** One of each provider: the configured ones in their order, then the local one. */
  all: readonly VisionModel[];
  /**
   * The model for the files of a tenant: the first configured one that it allows, else the local one.
   *
   * @param allowed providers of domain/accounts/vlm-providers.ts; null allows any
   */
  forTenant(allowed: readonly string[] | null | undefined): VisionModel;
}

export function createVisionModels(config: VisionConfig): VisionModels {
  const local = createLocalVision();
  const configured = endpoints(config);
  return {
    all: [...configured, local],
    forTenant: (allowed) =>
      configured.find(({ provider }) => !allowed || allowed.includes(provider)) ?? local,
  };
}

function endpoints(config: VisionConfig): VisionModel[] {
  const { OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY: apiKey } = config;
  if (baseUrl === undefined && apiKey === undefined) return [];
  return [
    createOpenAiVision({
      provider: 'openai',
      baseUrl: baseUrl ?? OPENAI_URL,
      ...(apiKey !== undefined && { apiKey }),
      model: config.VISION_MODEL,
      timeoutSeconds: config.VISION_TIMEOUT_SECONDS,
    }),
  ];
}
