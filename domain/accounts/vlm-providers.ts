/** Providers of vision models that a tenant can allow to process its files. */
export const VLM_PROVIDERS = ['openai', 'anthropic', 'google', 'azure', 'aws'] as const;
export type VlmProvider = (typeof VLM_PROVIDERS)[number];
