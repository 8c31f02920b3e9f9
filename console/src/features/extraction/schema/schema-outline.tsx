import { EXTRACTION_TEXTS } from '../texts.ts';
import { fieldsOf, type SchemaField, type SchemaNode } from './model.ts';

const texts = EXTRACTION_TEXTS;

/** The fields of a schema to read: names, types, descriptions, groups within groups. */
export function SchemaOutline({ schema }: { schema: SchemaNode }) {
  return (
    <ul className="flex flex-col divide-y divide-line">
      {fieldsOf(schema).map((field) => (
        <li key={field.name} className="py-2">
          <p className="flex flex-wrap items-baseline gap-x-2">
            <span className="font-medium wrap-anywhere">{field.name}</span>
            <span className="text-sm text-muted">{typeText(field)}</span>
          </p>
          {typeof field.node['description'] === 'string' && (
            <p className="text-sm text-muted">{field.node['description']}</p>
          )}
          {field.kind === 'group' && (
            <div className="mt-1 border-l-2 border-line pl-3">
              <SchemaOutline schema={field.inner} />
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}

/** `Number, several of them, required` */
function typeText({ kind, isList, isRequired }: SchemaField): string {
  return [
    kind ? texts.kinds[kind] : texts.otherKind,
    ...(isList ? [texts.isList] : []),
    ...(isRequired ? [texts.isRequired] : []),
  ]
    .map((part, index) => (index === 0 ? part : part.toLowerCase()))
    .join(', ');
}
