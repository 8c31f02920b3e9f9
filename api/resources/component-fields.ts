import type { Components, ComponentStatus } from '../../domain/components.ts';
import { componentsOf, type ErrorField, type StatusField } from '../../domain/pipelines/index.ts';

/**
 * A field of the contract for the status of each component of a medium, `variant_status` and the like.
 *
 * @param absent status of what the file does not have
 */
export function presentStatusFields(
  mediaType: string,
  components: Components,
  absent: ComponentStatus = 'skipped',
) {
  return Object.fromEntries(
    componentsOf(mediaType).map(({ name, statusField }) => [statusField, components[name]?.status ?? absent]),
  ) as Record<StatusField, ComponentStatus>;
}

/** The same for why each failed; null for what did not. */
export function presentErrorFields(mediaType: string, components: Components) {
  return Object.fromEntries(
    componentsOf(mediaType).map(({ name, errorField }) => [
      errorField,
      components[name]?.error?.message ?? null,
    ]),
  ) as Record<ErrorField, string | null>;
}
