import { Pencil, Undo2 } from 'lucide-react';
import { useState, type SyntheticEvent } from 'react';
import { messageOf } from '../../../lib/client.ts';
import { TEXTS } from '../../../texts.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { SelectInput, TextInput } from '../../../ui/field.tsx';
import { leafText, readable } from '../result/values.tsx';
import { EXTRACTION_TEXTS } from '../texts.ts';
import type { FindingField, Scalar } from './findings.ts';

const texts = EXTRACTION_TEXTS;
const YES_NO = [
  ['true', TEXTS.common.yes],
  ['false', TEXTS.common.no],
] as const;

/** A value that can be corrected in its place. What was read stays, and can be put back. */
export function CorrectableValue({
  field: { name, value, original },
  onCorrect,
}: {
  field: FindingField;
  onCorrect: (value: Scalar) => Promise<unknown>;
}) {
  const [draft, setDraft] = useState<string>();
  const [error, setError] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const label = texts.correct(readable(name));
  const kind = typeof (value ?? original);
  const correct = async (next: Scalar) => {
    setBusy(true);
    setError(undefined);
    try {
      await onCorrect(next);
      setDraft(undefined);
    } catch (thrown) {
      setError(messageOf(thrown));
    }
    setBusy(false);
  };
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (draft !== undefined) void correct(parse(draft, kind));
  };
  if (draft !== undefined) {
    return (
      <form
        noValidate
        onSubmit={submit}
        onKeyDown={({ key }) => key === 'Escape' && setDraft(undefined)}
        className="flex flex-wrap items-start gap-2 py-1"
      >
        <div className="min-w-40 grow">
          {kind === 'boolean' ? (
            <SelectInput
              label={label}
              hideLabel
              error={error}
              value={draft}
              options={YES_NO}
              onChange={({ target }) => setDraft(target.value)}
            />
          ) : (
            <TextInput
              label={label}
              hideLabel
              autoFocus
              error={error}
              inputMode={kind === 'number' ? 'decimal' : undefined}
              value={draft}
              onChange={({ target }) => setDraft(target.value)}
            />
          )}
        </div>
        <Button type="submit" variant="primary" busy={isBusy}>
          {TEXTS.common.save}
        </Button>
        <Button onClick={() => setDraft(undefined)}>{TEXTS.common.cancel}</Button>
      </form>
    );
  }
  return (
    <span className="inline-flex flex-wrap items-center gap-x-1">
      <span className={`wrap-anywhere ${original === undefined ? '' : 'font-medium'}`}>
        {leafText(value)}
      </span>
      <IconButton
        icon={Pencil}
        size="smallIcon"
        label={label}
        onClick={() => setDraft(value === null ? '' : String(value))}
      />
      {original !== undefined && original !== value && (
        <>
          <span className="text-sm text-muted wrap-anywhere">{texts.was(leafText(original))}</span>
          <IconButton
            icon={Undo2}
            size="smallIcon"
            label={texts.restore}
            busy={isBusy}
            onClick={() => void correct(original)}
          />
        </>
      )}
    </span>
  );
}

/** The value that a text stands for. A number that is none stays a text, which the API refuses with the reason. */
function parse(text: string, kind: string): Scalar {
  if (kind === 'boolean') return text === 'true';
  const number = Number(text.trim().replace(',', '.'));
  return kind === 'number' && text.trim() !== '' && Number.isFinite(number) ? number : text;
}
