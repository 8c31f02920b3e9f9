import type { z } from 'zod';
import type { SavedSchema } from '../../../services/structured-extraction/saved-schemas/find-schema.ts';
import type { schemaAnswer } from './schema.ts';

export function presentSchema({ saved, version }: SavedSchema): z.input<typeof schemaAnswer> {
  return {
    id: saved.id,
    name: saved.name,
    description: saved.description ?? null,
    schema: version.schema,
    prompt_hint: version.promptHint ?? null,
    version: version.version,
    status: saved.status,
    created_at: saved.createdAt.toISOString(),
  };
}
