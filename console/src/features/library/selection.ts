import { useState } from 'react';

interface State {
  /** Of which list. */
  list: string;
  ids: ReadonlySet<string>;
  /** Where a range with the shift key begins. */
  anchor: number;
}

/** The selected files of a list, by id. Another list starts with none selected. */
export function useSelection(list: string) {
  const [state, setState] = useState<State>({ list, ids: new Set(), anchor: 0 });
  const current = state.list === list ? state : { list, ids: new Set<string>(), anchor: 0 };
  const set = (ids: Iterable<string>, anchor = current.anchor) =>
    setState({ list, ids: new Set(ids), anchor });
  return {
    ids: current.ids,
    anchor: current.anchor,
    /** Selects only these. */
    set,
    add: (ids: Iterable<string>) => set([...current.ids, ...ids]),
    toggle: (id: string, index: number) => {
      const rest = [...current.ids].filter((other) => other !== id);
      set(rest.length === current.ids.size ? [...rest, id] : rest, index);
    },
    clear: () => set([]),
  };
}

export type Selection = ReturnType<typeof useSelection>;
