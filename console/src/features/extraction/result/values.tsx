import { MapPin } from 'lucide-react';
import { createContext, use, type ReactNode } from 'react';
import type { components } from 'darkroom-client';
import { TEXTS } from '../../../texts.ts';
import { Cell, Table } from '../../../ui/table.tsx';

const texts = TEXTS.extraction;

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

/** The values of an extraction: fields by name, groups under headings, lists of like groups as tables. */
export function Values({ data, pointer = '' }: { data: JsonObject; pointer?: string }) {
  return (
    <dl className="flex flex-col divide-y divide-line">
      {Object.entries(data).map(([key, value]) => {
        const at = `${pointer}/${escaped(key)}`;
        return (
          <div key={key} className={isLeaf(value) ? 'grid gap-x-4 py-2 sm:grid-cols-[2fr_3fr]' : 'py-3'}>
            <dt className="text-sm text-muted wrap-anywhere">{readable(key)}</dt>
            <dd className="m-0 min-w-0">
              <Value name={readable(key)} value={value} pointer={at} />
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

function Value({ name, value, pointer }: { name: string; value: unknown; pointer: string }): ReactNode {
  if (isObject(value)) {
    return (
      <div className="border-l-2 border-line pl-3">
        <Values data={value} pointer={pointer} />
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
          <Value name={`${name} ${index + 1}`} value={item} pointer={`${pointer}/${index}`} />
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
function Leaf({ name, value, pointer }: { name: string; value: unknown; pointer: string }) {
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
