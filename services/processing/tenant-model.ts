import type { EntityManager } from '@mikro-orm/postgresql';
import type { VisionModel } from '../../adapters/models/vision/vision-model.ts';
import type { VisionModels } from '../../adapters/models/vision/vision-models.ts';
import { Tenant } from '../../db/entities/accounts/tenant.ts';

/** The models of a step that has waited for one of them. */
export interface ModelDeps {
  models: Pick<VisionModels, 'forTenant'>;
  /** On whose queue it has waited. */
  provider: string;
}

/** The model for the files of a tenant, by its present settings. */
export async function tenantModel(
  em: EntityManager,
  tenantId: string,
  { models, provider }: ModelDeps,
): Promise<VisionModel> {
  const { allowedVlmProviders } = await em.findOneOrFail(Tenant, tenantId, { refresh: true });
  return models.forTenant(allowedVlmProviders, provider);
}
