import { Plus } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { EXTRACTION_TEXTS } from '../texts.ts';
import { FieldRow } from './field-row.tsx';
import { addField, fieldPointer, fieldsOf, setField, withInner, type SchemaNode } from './model.ts';
import type { Problem } from './read-schema.ts';

const texts = EXTRACTION_TEXTS;

/**
 * The properties of an object of a schema as a form, groups within groups.
 *
 * @param pointer of the object in the schema
 * @param name    of the group; undefined for the whole schema
 */
export function SchemaForm({
  object,
  pointer,
  name,
  problems,
  onChange,
}: {
  object: SchemaNode;
  pointer: string;
  name?: string;
  problems: readonly Problem[];
  onChange: (object: SchemaNode) => void;
}) {
  const fields = fieldsOf(object);
  const [added, setAdded] = useState<number>();
  const own = problems.filter(({ pointer: at }) => at === pointer || at === `${pointer}/properties`);
  return (
    <div className="flex flex-col gap-3">
      {fields.length === 0 && <p className="text-muted">{texts.noFields}</p>}
      <ul className="flex flex-col gap-3">
        {fields.map((field, index) => (
          // By place: the name of a field changes while it is typed.
          <li key={index}>
            <FieldRow
              object={object}
              pointer={pointer}
              field={field}
              place={{ isFirst: index === 0, isLast: index === fields.length - 1 }}
              isNew={index === added}
              problems={problems}
              onChange={onChange}
            >
              {field.kind === 'group' && (
                <SchemaForm
                  object={field.inner}
                  pointer={fieldPointer(pointer, field.name) + (field.isList ? '/items' : '')}
                  name={field.name}
                  problems={problems}
                  onChange={(inner) => onChange(setField(object, field.name, withInner(field, inner)))}
                />
              )}
            </FieldRow>
          </li>
        ))}
      </ul>
      {own.map(({ message }) => (
        <p key={message} className="text-sm text-bad">
          {message}
        </p>
      ))}
      <div>
        <Button
          size="small"
          icon={Plus}
          onClick={() => {
            setAdded(fields.length);
            onChange(addField(object));
          }}
        >
          {name === undefined ? texts.addField : texts.addFieldTo(name)}
        </Button>
      </div>
    </div>
  );
}
