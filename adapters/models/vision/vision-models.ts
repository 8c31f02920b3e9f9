import { type VisionConfig, visionEndpoints } from './config.ts';
import { createLocalVision } from './local-vision.ts';
import { createOpenAiVision } from './openai-vision.ts';
import type { Sight } from '../sight/sight.ts';
import type { ModelWork } from './model-work.ts';
import type { VisionModel } from './vision-model.ts';

/** The vision models of this deployment. */
export interface VisionModels {
  /** One per provider: the configured ones in order of preference, then the local one. */
  all: readonly VisionModel[];
  /** The model without a provider. */
  local: VisionModel;
  /**
   * The model for the files of a tenant: that of the preferred provider if the tenant allows it, else the first allowed
   * one, else the local one.
   *
   * @param allowed providers of domain/accounts/vlm-providers.ts; null allows any
   * @param preferred the provider on whose queue the call has waited
   */
  forTenant(allowed: readonly string[] | null | undefined, preferred?: string): VisionModel;
}

/** @param sight what the local one sees with */
export function createVisionModels(config: VisionConfig, work: ModelWork, sight?: Sight): VisionModels {
  const configured = visionEndpoints(config).map((endpoint) => createOpenAiVision(endpoint, work));
  return chooseFrom(configured, createLocalVision(work, sight));
}

/** Implements `forTenant` over the given models. */
export function chooseFrom(configured: readonly VisionModel[], local: VisionModel): VisionModels {
  const all = [...configured, local];
  return {
    all,
    local,
    forTenant(allowed, preferred) {
      const permitted = all.filter(
        ({ provider, inProcess }) => inProcess || !allowed || allowed.includes(provider),
      );
      return permitted.find(({ provider }) => provider === preferred) ?? permitted[0] ?? local;
    },
  };
}
