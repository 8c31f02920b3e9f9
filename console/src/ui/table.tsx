import type { ReactNode } from 'react';
import { TEXTS } from '../texts.ts';

/**
 * A table that scrolls sideways on narrow screens.
 *
 * @param caption read out, not shown
 * @param columns heads; the last may be empty for actions
 */
export function Table({
  caption,
  columns,
  children,
}: {
  caption: string;
  columns: readonly string[];
  children: ReactNode;
}) {
  return (
    <div
      className="relative overflow-x-auto rounded-xl border border-line bg-surface"
      role="region"
      aria-label={caption}
      tabIndex={0}
    >
      <table className="w-full border-collapse text-left text-sm">
        <caption className="sr-only">{caption}</caption>
        <thead className="border-b border-line text-muted">
          <tr>
            {columns.map((column, index) => (
              <th key={column || index} scope="col" className="px-3 py-2.5 font-medium whitespace-nowrap">
                {column || <span className="sr-only">{TEXTS.common.actions}</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">{children}</tbody>
      </table>
    </div>
  );
}

/** A cell in the style of `Table`. */
export function Cell({ children, className = '' }: { children?: ReactNode; className?: string }) {
  return <td className={`px-3 py-2.5 align-middle ${className}`}>{children}</td>;
}
