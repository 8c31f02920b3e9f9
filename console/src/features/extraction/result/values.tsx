import { MapPin } from 'lucide-react';
import { createContext, use, type ReactNode } from 'react';
import type { components } from 'darkroom-client';
import { TEXTS } from '../../../texts.ts';
import { Cell, Table } from '../../../ui/table.tsx';
import { fieldsOf, type SchemaNode } from '../schema/model.ts';
import { EXTRACTION_TEXTS } from '../texts.ts';

const texts = EXTRACTION_TEXTS;

type Citations = Readonly<Record<string, components['schemas']['Citation']>>;

interface Sources {
  citations: Citations;
  /** Pointer of the value whose source stands out. */
  active: string | null;
  onShow: (pointer: string) => void;
}

/** Where the values below were read, and which of them is shown. */
export const SourcesContext = createContext<Sources>({
  citations: {},
  active: null,
  onShow: () => undefined,
});

type JsonObject = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isLeaf = (value: unknown) => typeof value !== 'object' || value === null;
const escaped = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1');

/** `total_sum` as `Total sum` */
export function readable(key: string): string {
  const words = key.replaceAll('_', ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/**
 * The values of an extraction: fields by name, groups under headings, lists of like groups as tables.
 *
 * @param schema that they follow; its fields without a value are shown as not found
 */
export function Values({
  data,
  schema,
  pointer = '',
}: {
  data: JsonObject;
  schema: SchemaNode;
  pointer?: string;
}) {
  const fields = new Map(fieldsOf(schema).map((field) => [field.name, field]));
  return (
    <dl className="flex flex-col divide-y divide-line">
      {[...new Set([...fields.keys(), ...Object.keys(data)])].map((key) => {
        const value = data[key];
        return (
          <div
            key={key}
            className={isLeaf(value) ? 'grid items-baseline gap-x-4 py-2 sm:grid-cols-[2fr_3fr]' : 'py-3'}
          >
            <dt className="text-sm text-muted wrap-anywhere">{readable(key)}</dt>
            <dd className="m-0 min-w-0">
              {value === undefined ? (
                <span className="text-sm text-muted italic">{texts.notFound}</span>
              ) : (
                <Value
                  name={readable(key)}
                  value={value}
                  schema={fields.get(key)?.inner ?? {}}
                  pointer={`${pointer}/${escaped(key)}`}
                />
              )}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

interface ValueProps {
  name: string;
  value: unknown;
  /** Of the value; of a list, that of its items. */
  schema: SchemaNode;
  pointer: string;
}

function Value({ name, value, schema, pointer }: ValueProps): ReactNode {
  if (isObject(value)) {
    return (
      <div className="border-l-2 border-line pl-3">
        <Values data={value} schema={schema} pointer={pointer} />
      </div>
    );
  }
  if (!Array.isArray(value)) return <Leaf name={name} value={value} pointer={pointer} />;
  const items: readonly unknown[] = value;
  if (items.length === 0) return <span className="text-muted">{texts.empty}</span>;
  if (items.every((item) => isObject(item) && Object.values(item).every(isLeaf))) {
    return <Rows name={name} rows={items as readonly JsonObject[]} pointer={pointer} />;
  }
  return (
    <ul className="flex flex-col gap-2">
      {items.map((item, index) => (
        <li key={index}>
          <Value name={`${name} ${index + 1}`} value={item} schema={schema} pointer={`${pointer}/${index}`} />
        </li>
      ))}
    </ul>
  );
}

function Rows({ name, rows, pointer }: { name: string; rows: readonly JsonObject[]; pointer: string }) {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return (
    <div className="mt-1.5">
      <Table caption={name} columns={columns.map(readable)}>
        {rows.map((row, index) => (
          <tr key={index}>
            {columns.map((column) => (
              <Cell key={column}>
                <Leaf
                  name={`${readable(column)} ${index + 1}`}
                  value={row[column]}
                  pointer={`${pointer}/${index}/${escaped(column)}`}
                />
              </Cell>
            ))}
          </tr>
        ))}
      </Table>
    </div>
  );
}

/** One value; a press shows where it was read. */
function Leaf({ name, value, pointer }: Omit<ValueProps, 'schema'>) {
  const { citations, active, onShow } = use(SourcesContext);
  const citation = citations[pointer];
  const text = leafText(value);
  if (!citation) return <span className={value == null ? 'text-muted' : 'wrap-anywhere'}>{text}</span>;
  const isActive = active === pointer;
  return (
    <button
      type="button"
      aria-pressed={isActive}
      title={texts.showSource(name, citation.page)}
      onClick={() => onShow(pointer)}
      className={`-mx-1.5 inline-flex min-h-7 items-center gap-1.5 rounded-md px-1.5 text-left ${isActive ? 'bg-accent-soft' : 'hover:bg-sunken'}`}
    >
      <span className="wrap-anywhere">{text}</span>
      <MapPin aria-hidden className={`size-3.5 shrink-0 ${isActive ? 'text-accent' : 'text-muted'}`} />
    </button>
  );
}

/** A value as it was read: numbers may be those of papers, which nobody groups by thousands. */
export function leafText(value: unknown): string {
  if (typeof value === 'boolean') return value ? TEXTS.common.yes : TEXTS.common.no;
  if (value === undefined || value === null || value === '') return texts.empty;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
