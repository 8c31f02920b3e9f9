import { useState, type InputHTMLAttributes } from 'react';
import { TextInput } from '../../../ui/field.tsx';

/**
 * A text input over a value that does not take every text: what was typed stays while the input has the focus.
 *
 * @param commit takes a text, or returns why not
 */
export function DraftInput({
  value,
  commit,
  ...rest
}: {
  label: string;
  hint?: string;
  value: string;
  commit: (text: string) => string | undefined;
} & Omit<InputHTMLAttributes<HTMLInputElement>, 'value'>) {
  const [draft, setDraft] = useState<string>();
  const [error, setError] = useState<string>();
  return (
    <TextInput
      {...rest}
      value={draft ?? value}
      error={error}
      onChange={({ target }) => {
        setDraft(target.value);
        setError(commit(target.value));
      }}
      onBlur={() => {
        setDraft(undefined);
        setError(undefined);
      }}
    />
  );
}
