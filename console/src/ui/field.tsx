import {
  useId,
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
} from 'react';
import { TEXTS } from '../texts.ts';

const CONTROL =
  'w-full rounded-lg border border-strong-line bg-surface px-3 text-ink placeholder:text-muted disabled:opacity-60 aria-invalid:border-bad';

interface Labelled {
  label: string;
  /** Under the control, before anything goes wrong. */
  hint?: ReactNode;
  error?: string | undefined;
  optional?: boolean;
  /** For a control whose meaning is visible without its label, which is then read out only. */
  hideLabel?: boolean;
}

interface ControlProps {
  id: string;
  'aria-invalid': true | undefined;
  'aria-describedby': string | undefined;
}

/** A label, a control, its hint and its error, tied together for assistive technology. */
export function Field({
  label,
  hint,
  error,
  optional,
  hideLabel,
  children,
}: Labelled & { children: (control: ControlProps) => ReactNode }) {
  const id = useId();
  const note = error ?? hint;
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className={hideLabel ? 'sr-only' : 'text-sm font-medium'}>
        {label}
        {optional && <span className="font-normal text-muted"> ({TEXTS.common.optional})</span>}
      </label>
      {children({
        id,
        'aria-invalid': error ? true : undefined,
        'aria-describedby': note ? `${id}-note` : undefined,
      })}
      {note && (
        <p id={`${id}-note`} className={`text-sm ${error ? 'text-bad' : 'text-muted'}`}>
          {note}
        </p>
      )}
    </div>
  );
}

/** Takes what `register` of react-hook-form returns. */
export function TextInput({
  label,
  hint,
  error,
  optional,
  hideLabel,
  ...rest
}: Labelled & InputHTMLAttributes<HTMLInputElement>) {
  return (
    <Field {...{ label, hint, error, optional, hideLabel }}>
      {(control) => <input {...rest} {...control} className={`${CONTROL} h-10`} />}
    </Field>
  );
}

export function TextArea({
  label,
  hint,
  error,
  optional,
  hideLabel,
  className = '',
  ...rest
}: Labelled & TextareaHTMLAttributes<HTMLTextAreaElement>) {
  return (
    <Field {...{ label, hint, error, optional, hideLabel }}>
      {(control) => <textarea {...rest} {...control} className={`${CONTROL} py-2 ${className}`} />}
    </Field>
  );
}

/** @param options pairs of value and text */
export function SelectInput({
  label,
  hint,
  error,
  optional,
  hideLabel,
  options,
  ...rest
}: Labelled &
  SelectHTMLAttributes<HTMLSelectElement> & {
    options: readonly (readonly [value: string, text: string])[];
  }) {
  return (
    <Field {...{ label, hint, error, optional, hideLabel }}>
      {(control) => (
        <select {...rest} {...control} className={`${CONTROL} h-10 pr-8`}>
          {options.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export function CheckboxInput({
  label,
  hint,
  ...rest
}: { label: string; hint?: ReactNode } & InputHTMLAttributes<HTMLInputElement>) {
  const id = useId();
  return (
    <div className="flex items-start gap-2">
      <input
        {...rest}
        id={id}
        type="checkbox"
        aria-describedby={hint ? `${id}-note` : undefined}
        className="mt-1 size-4 accent-(--accent)"
      />
      <div>
        <label htmlFor={id}>{label}</label>
        {hint && (
          <p id={`${id}-note`} className="text-sm text-muted">
            {hint}
          </p>
        )}
      </div>
    </div>
  );
}
