import { zodResolver } from '@hookform/resolvers/zod';
import { ApiError } from 'darkroom-client';
import {
  useForm,
  type DefaultValues,
  type FieldValues,
  type Path,
  type UseFormReturn,
} from 'react-hook-form';
import type { z } from 'zod';
import { messageOf } from './client.ts';

/** A form whose values fit a schema before they are sent. */
export function useSchemaForm<S extends z.ZodType<FieldValues, FieldValues>>(
  schema: S,
  defaultValues: DefaultValues<z.input<S>>,
): UseFormReturn<z.input<S>, unknown, z.output<S>> {
  return useForm<z.input<S>, unknown, z.output<S>>({
    resolver: zodResolver(schema),
    defaultValues,
    mode: 'onTouched',
  });
}

/**
 * Shows an error of the API in a form: at the fields that it names, otherwise as the error of the whole form, which is
 * `formState.errors.root`.
 */
export function showInForm<T extends FieldValues>(
  form: UseFormReturn<T, unknown, unknown>,
  error: unknown,
): void {
  const fields = error instanceof ApiError ? error.errors : [];
  const known = fields.filter(({ pointer }) => nameOf(pointer) in form.getValues());
  for (const { pointer, message } of known) form.setError(nameOf(pointer) as Path<T>, { message });
  if (known.length === 0) form.setError('root', { message: messageOf(error) });
}

const nameOf = (pointer: string) => pointer.split('/')[2] ?? '';
