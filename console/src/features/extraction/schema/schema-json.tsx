import { useMemo, useRef, type UIEvent } from 'react';
import { Field } from '../../../ui/field.tsx';
import { EXTRACTION_TEXTS } from '../texts.ts';
import type { Problem } from './read-schema.ts';

const texts = EXTRACTION_TEXTS;
const LINE_PX = 22;
const SHOWN_LINES = 18;

/** The text of a schema with the numbers of its lines; those with a problem are marked, and named below it. */
export function SchemaJson({
  text,
  problems,
  onChange,
}: {
  text: string;
  problems: readonly Problem[];
  onChange: (text: string) => void;
}) {
  const area = useRef<HTMLTextAreaElement>(null);
  const gutter = useRef<HTMLDivElement>(null);
  const lines = text.split('\n').length;
  const wrong = useMemo(() => new Set(problems.map(({ line }) => line)), [problems]);
  const follow = ({ currentTarget }: UIEvent) => {
    if (gutter.current) gutter.current.scrollTop = currentTarget.scrollTop;
  };
  const goTo = (line: number) => {
    const before = text.split('\n').slice(0, line - 1);
    const from = before.reduce((sum, each) => sum + each.length + 1, 0);
    const to = from + (text.split('\n')[line - 1]?.length ?? 0);
    area.current?.focus();
    area.current?.setSelectionRange(from, to);
    if (area.current) area.current.scrollTop = (line - 3) * LINE_PX;
  };
  return (
    <div className="flex flex-col gap-2">
      <Field label={texts.jsonLabel}>
        {(control) => (
          <div
            className={`flex overflow-hidden rounded-lg border bg-surface font-mono text-sm focus-within:outline-2 focus-within:outline-offset-2 focus-within:outline-accent ${problems.length > 0 ? 'border-bad' : 'border-strong-line'}`}
            style={{ lineHeight: `${LINE_PX}px`, height: SHOWN_LINES * LINE_PX }}
          >
            <div
              ref={gutter}
              aria-hidden
              className="overflow-hidden border-r border-line bg-sunken py-2 text-right text-muted select-none"
            >
              {Array.from({ length: lines }, (_, index) => (
                <div key={index} className={`px-2 ${wrong.has(index + 1) ? 'bg-bad-soft text-bad' : ''}`}>
                  {index + 1}
                </div>
              ))}
            </div>
            <textarea
              {...control}
              ref={area}
              wrap="off"
              spellCheck={false}
              autoCapitalize="off"
              autoComplete="off"
              value={text}
              aria-invalid={problems.length > 0 || undefined}
              onScroll={follow}
              onChange={({ target }) => onChange(target.value)}
              className="min-w-0 grow resize-none overflow-auto bg-transparent px-3 py-2 outline-none"
            />
          </div>
        )}
      </Field>
      {problems.length > 0 && (
        <ul className="flex flex-col items-start gap-1">
          {problems.map(({ line, pointer, message }) => (
            <li key={`${line} ${pointer} ${message}`}>
              <button
                type="button"
                onClick={() => goTo(line)}
                className="min-h-6 text-left text-sm text-bad underline"
              >
                {texts.line(line, message)}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
