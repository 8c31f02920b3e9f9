import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { client } from '../../../lib/client.ts';
import { useDebounced } from '../../../lib/debounced.ts';
import type { SchemaNode } from './model.ts';
import { readSchema, type Problem } from './read-schema.ts';

export interface SchemaCheck {
  /** Undefined while the text is not the JSON of an object. */
  schema: SchemaNode | undefined;
  problems: readonly Problem[];
  isChecking: boolean;
  /** Whether the API accepts this very text. */
  isValid: boolean;
  error: unknown;
}

/** Checks the text of a schema as it is typed: mistakes in its JSON at once, the rules of the API after a pause. */
export function useSchemaCheck(text: string): SchemaCheck {
  const { schema, mistakes, lineOf } = useMemo(() => readSchema(text), [text]);
  const json = useMemo(() => (schema ? JSON.stringify(schema) : null), [schema]);
  const settled = useDebounced(json);
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ['extraction-schemas', 'check', settled],
    enabled: settled !== null,
    staleTime: Infinity,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const body = { schema: JSON.parse(settled ?? '{}') as SchemaNode };
      return (await client.api.POST('/extraction-schemas/validate', { body, signal })).data;
    },
  });
  const isCurrent = json !== null && settled === json && !isPlaceholderData && data !== undefined;
  const problems = useMemo(
    () =>
      schema
        ? (data ?? []).map(({ pointer, message }) => ({ pointer, line: lineOf(pointer), message }))
        : mistakes,
    [schema, data, mistakes, lineOf],
  );
  return {
    schema,
    problems,
    isChecking: schema !== undefined && !isCurrent && !error,
    isValid: isCurrent && data.length === 0,
    error,
  };
}
