import type { Body } from 'darkroom-client';
import { useState, type FormEvent } from 'react';
import { TEXTS } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { DialogActions } from '../../ui/dialog.tsx';
import { CheckboxInput, SelectInput, TextInput } from '../../ui/field.tsx';
import { WORK_TEXTS } from './texts.ts';

const texts = WORK_TEXTS.exports;
const FORMATS = ['csv', 'json', 'jsonl'] as const;

export type DescriptionsRequest = Body<'/data/export'>;
type Field = NonNullable<DescriptionsRequest['fields']>[number];
const FIELDS = Object.keys(texts.fields) as Field[];

/** The format and the time of an export of the history of descriptions. */
export function DescriptionsForm({
  busy,
  onCancel,
  onSubmit,
}: {
  busy: boolean;
  onCancel: () => void;
  onSubmit: (body: DescriptionsRequest) => void;
}) {
  const [format, setFormat] = useState<DescriptionsRequest['format']>('csv');
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const [chosen, setChosen] = useState<readonly Field[]>(FIELDS);
  const [hasMetadata, setMetadata] = useState(true);
  const [hasFailed, setFailed] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit({
      format,
      fields: [...chosen],
      include_metadata: hasMetadata,
      include_failed: hasFailed,
      ...(from && { start_date: from }),
      ...(to && { end_date: to }),
    });
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <div className="grid gap-4 sm:grid-cols-3">
        <SelectInput
          label={texts.format}
          value={format}
          options={FORMATS.map((name) => [name, texts.formats[name]] as const)}
          onChange={({ target }) => setFormat(target.value as DescriptionsRequest['format'])}
        />
        <TextInput
          label={texts.from}
          type="date"
          optional
          value={from}
          onChange={({ target }) => setFrom(target.value)}
        />
        <TextInput
          label={texts.to}
          type="date"
          optional
          value={to}
          onChange={({ target }) => setTo(target.value)}
        />
      </div>
      <fieldset className="grid gap-x-6 gap-y-1 sm:grid-cols-3">
        <legend className="mb-1 font-medium">
          {texts.chooseColumns}{' '}
          <span className={`text-sm font-normal ${chosen.length === 0 ? 'text-bad' : 'text-muted'}`}>
            {chosen.length === 0 ? texts.needColumns : texts.chosen(chosen.length)}
          </span>
        </legend>
        {FIELDS.map((field) => (
          <CheckboxInput
            key={field}
            label={texts.fields[field]}
            checked={chosen.includes(field)}
            onChange={({ target }) =>
              setChosen(FIELDS.filter((one) => (one === field ? target.checked : chosen.includes(one))))
            }
          />
        ))}
      </fieldset>
      <CheckboxInput
        label={texts.metadata}
        checked={hasMetadata}
        onChange={({ target }) => setMetadata(target.checked)}
      />
      <CheckboxInput
        label={texts.failed}
        checked={hasFailed}
        onChange={({ target }) => setFailed(target.checked)}
      />
      <DialogActions>
        <Button onClick={onCancel}>{TEXTS.common.cancel}</Button>
        <Button type="submit" variant="primary" busy={busy} disabled={chosen.length === 0}>
          {texts.submit}
        </Button>
      </DialogActions>
    </form>
  );
}
