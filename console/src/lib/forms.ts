import { zodResolver } from '@hookform/resolvers/zod';
import {
  useForm,
  type DefaultValues,
  type FieldValues,
  type Path,
  type UseFormReturn,
} from 'react-hook-form';
import { z } from 'zod';
import { TEXTS } from '../texts.ts';
import { fieldErrorsOf, messageOf } from './client.ts';

/** An email address by the rule of browsers; the API refuses some more. */
export const emailField = z.email({ pattern: z.regexes.html5Email, error: TEXTS.errors.email });

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
  const known = fieldErrorsOf(error).filter(([name]) => name in form.getValues());
  for (const [name, message] of known) form.setError(name as Path<T>, { message });
  if (known.length === 0) form.setError('root', { message: messageOf(error) });
}
