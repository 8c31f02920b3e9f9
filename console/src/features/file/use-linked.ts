import { useState } from 'react';

/** Two views of the same things, such as boxes and their texts: what is pointed at or selected in one shows in both. */
export interface Linked {
  /** Highlighted in both. */
  active: ReadonlySet<string>;
  selected: string | null;
  point: (id: string | null) => void;
  select: (id: string | null) => void;
}

/** @param initial ids that are highlighted until something is selected */
export function useLinked(initial: readonly string[] = []): Linked {
  const [pointed, setPointed] = useState<string | null>(null);
  const [selected, setSelected] = useState<string | null>(initial[0] ?? null);
  const isUntouched = selected === (initial[0] ?? null);
  return {
    active: new Set([
      ...(isUntouched ? initial : []),
      ...(selected === null ? [] : [selected]),
      ...(pointed === null ? [] : [pointed]),
    ]),
    selected,
    point: setPointed,
    select: (id) => setSelected((before) => (before === id ? null : id)),
  };
}
