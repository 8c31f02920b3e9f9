import type { VisionConfig } from './config.ts';
import { createLocalVision } from './local-vision.ts';
import { createOpenAiVision } from './openai-vision.ts';
import type { VisionModel } from './vision-model.ts';

export const OPENAI_URL = 'https://api.openai.com/v1';

/** The configured vision model: an endpoint if there is a URL or a key, otherwise the local one. */
export function createVisionModel(config: VisionConfig): VisionModel {
  const { OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY: apiKey } = config;
  if (baseUrl === undefined && apiKey === undefined) return createLocalVision();
  return createOpenAiVision({
    baseUrl: baseUrl ?? OPENAI_URL,
    ...(apiKey !== undefined && { apiKey }),
    model: config.VISION_MODEL,
    timeoutSeconds: config.VISION_TIMEOUT_SECONDS,
  });
}
