import { LinkIcon } from 'lucide-react';
import { useState, type FormEvent } from 'react';
import { TEXTS } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { TextArea } from '../../ui/field.tsx';
import { Card } from '../../ui/page.tsx';
import { linksOf } from './dropped-files.ts';
import { UPLOAD_TEXTS } from './texts.ts';

const texts = UPLOAD_TEXTS;

/** A field for web addresses, one a line. Invalid lines stay in it. */
export function LinkForm({ onLinks }: { onLinks: (links: readonly string[]) => void }) {
  const [text, setText] = useState('');
  const [error, setError] = useState<string>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { links, invalid } = linksOf(text);
    if (links.length > 0) onLinks(links);
    setText(invalid.join('\n'));
    const nothing = links.length === 0 ? TEXTS.errors.required : undefined;
    setError(invalid.length > 0 ? texts.notLinks(invalid.join(', ')) : nothing);
  };
  return (
    <Card>
      <form onSubmit={submit} className="flex flex-col items-start gap-3">
        <div className="w-full">
          <TextArea
            label={texts.links}
            hint={texts.linksHint}
            error={error}
            rows={2}
            spellCheck={false}
            placeholder="https://"
            value={text}
            onChange={({ target }) => {
              setText(target.value);
              setError(undefined);
            }}
          />
        </div>
        <Button type="submit" icon={LinkIcon}>
          {texts.addLinks}
        </Button>
      </form>
    </Card>
  );
}
