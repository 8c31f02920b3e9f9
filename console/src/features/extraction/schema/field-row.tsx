import { ArrowDown, ArrowUp, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { IconButton } from '../../../ui/button.tsx';
import { CheckboxInput, SelectInput, TextInput } from '../../../ui/field.tsx';
import { EXTRACTION_TEXTS } from '../texts.ts';
import { DraftInput } from './draft-input.tsx';
import {
  fieldPointer,
  fieldsOf,
  KINDS,
  moveField,
  removeField,
  renameField,
  setField,
  setRequired,
  toKind,
  withInner,
  withList,
  type Kind,
  type SchemaField,
  type SchemaNode,
} from './model.ts';
import type { Problem } from './read-schema.ts';

const texts = EXTRACTION_TEXTS;
const KIND_OPTIONS = KINDS.map((kind) => [kind, texts.kinds[kind]] as const);
const OTHER_OPTIONS = [...KIND_OPTIONS, ['', texts.otherKind] as const];

/** One property of an object. */
export function FieldRow({
  object,
  pointer,
  field,
  place,
  isNew,
  problems,
  onChange,
  children,
}: {
  object: SchemaNode;
  /** Of the object in the schema. */
  pointer: string;
  field: SchemaField;
  place: { isFirst: boolean; isLast: boolean };
  isNew: boolean;
  problems: readonly Problem[];
  onChange: (object: SchemaNode) => void;
  /** The fields of a group. */
  children: ReactNode;
}) {
  const { name, node, inner, kind, isList, isRequired } = field;
  const at = fieldPointer(pointer, name);
  const own = problems.filter((problem) => isOwn(problem, at));
  const setNode = (next: SchemaNode) => onChange(setField(object, name, next));
  const setInner = (next: SchemaNode) => setNode(withInner(field, next));
  const rename = (next: string) => {
    if (next.trim() === '') return texts.nameEmpty;
    if (next === name) return undefined;
    if (fieldsOf(object).some((each) => each.name === next)) return texts.nameTaken;
    onChange(renameField(object, name, next));
    return undefined;
  };
  return (
    <fieldset
      className={`flex flex-col gap-3 rounded-xl border p-3 ${own.length > 0 ? 'border-bad' : 'border-line'}`}
    >
      <legend className="sr-only">{texts.fieldOf(name)}</legend>
      <div className="grid gap-3 sm:grid-cols-[1fr_12rem_auto]">
        <DraftInput
          label={texts.field}
          value={name}
          commit={rename}
          autoFocus={isNew}
          onFocus={({ target }) => isNew && target.select()}
          autoComplete="off"
          spellCheck={false}
        />
        <SelectInput
          label={texts.type}
          value={kind ?? ''}
          options={kind ? KIND_OPTIONS : OTHER_OPTIONS}
          hint={kind ? undefined : texts.otherKindHint}
          onChange={({ target }) => target.value && setInner(toKind(inner, target.value as Kind))}
        />
        <div className="flex items-start justify-end sm:pt-7">
          <IconButton
            icon={ArrowUp}
            size="smallIcon"
            label={texts.moveUp(name)}
            disabled={place.isFirst}
            onClick={() => onChange(moveField(object, name, -1))}
          />
          <IconButton
            icon={ArrowDown}
            size="smallIcon"
            label={texts.moveDown(name)}
            disabled={place.isLast}
            onClick={() => onChange(moveField(object, name, 1))}
          />
          <IconButton
            icon={Trash2}
            size="smallIcon"
            label={texts.removeField(name)}
            onClick={() => onChange(removeField(object, name))}
          />
        </div>
      </div>
      <TextInput
        label={texts.description}
        optional
        placeholder={texts.descriptionHint}
        value={typeof node['description'] === 'string' ? node['description'] : ''}
        onChange={({ target }) => {
          const { description: _former, ...rest } = node;
          setNode(target.value ? { ...rest, description: target.value } : rest);
        }}
      />
      {kind === 'choice' && (
        <DraftInput
          label={texts.choices}
          value={choicesOf(inner).join(', ')}
          commit={(text) => {
            const words = text.split(',').map((word) => word.trim());
            setInner({ ...inner, enum: [...new Set(words.filter((word) => word !== ''))] });
            return undefined;
          }}
        />
      )}
      <div className="flex flex-wrap gap-x-5 gap-y-1">
        <CheckboxInput
          label={texts.isRequired}
          checked={isRequired}
          onChange={({ target }) => onChange(setRequired(object, name, target.checked))}
        />
        {kind && (
          <CheckboxInput
            label={texts.isList}
            checked={isList}
            onChange={({ target }) => setNode(withList(field, target.checked))}
          />
        )}
      </div>
      {own.map(({ pointer: where, message }) => (
        <p key={`${where} ${message}`} className="text-sm text-bad">
          {message}
        </p>
      ))}
      {children && <div className="border-l-2 border-line pl-3">{children}</div>}
    </fieldset>
  );
}

const choicesOf = ({ enum: choices }: SchemaNode): unknown[] => (Array.isArray(choices) ? choices : []);

/** Whether a problem lies in a field, and not in a field of its group. */
function isOwn({ pointer }: Problem, at: string): boolean {
  if (pointer !== at && !pointer?.startsWith(`${at}/`)) return false;
  return !/^(?:\/items)?\/properties(?:\/|$)/.test(pointer.slice(at.length));
}
