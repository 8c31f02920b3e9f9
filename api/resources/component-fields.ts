import type { Components, ComponentStatus } from '../../domain/components.ts';
import { componentsOf, type ErrorField, type StatusField } from '../../domain/pipelines/index.ts';

/** The API's status field of each component of a medium, such as `variant_status`. */
export function presentStatusFields(mediaType: string, components: Components) {
  return Object.fromEntries(
    componentsOf(mediaType).map(({ name, statusField }) => [
      statusField,
      components[name]?.status ?? 'skipped',
    ]),
  ) as Record<StatusField, ComponentStatus>;
}

/** The API's error field of each component; null if it has no error. */
export function presentErrorFields(mediaType: string, components: Components) {
  return Object.fromEntries(
    componentsOf(mediaType).map(({ name, errorField }) => [
      errorField,
      components[name]?.error?.message ?? null,
    ]),
  ) as Record<ErrorField, string | null>;
}
