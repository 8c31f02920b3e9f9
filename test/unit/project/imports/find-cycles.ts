import { dirname } from 'node:path/posix';
import type { Modules } from './read-modules.ts';

/** Dependencies by name. */
type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** Import cycles of files, direct or indirect, each as its names in order. */
export function findFileCycles(modules: Modules): string[][] {
  return findCycles(
    new Map(
      Array.from(modules, ([path, imports]) => [
        path,
        new Set(imports.flatMap(({ file }) => (file === undefined ? [] : [file]))),
      ]),
    ),
  );
}

/**
 * Dependency cycles of sibling folders, including everything below them. A folder and its subfolder may depend on each
 * other, because one is part of the other.
 */
export function findFolderCycles(modules: Modules): string[][] {
  const parents = new Set([...modules.keys()].flatMap(ancestors));
  return [...parents].flatMap((parent) => findCycles(neighbours(modules, parent)));
}

function neighbours(modules: Modules, parent: string): Graph {
  const graph = new Map<string, Set<string>>();
  const childOf = (path: string): string | undefined => {
    const rest = parent === '.' ? path : path.startsWith(`${parent}/`) ? path.slice(parent.length + 1) : '';
    const [name, ...below] = rest.split('/');
    return below.length === 0 ? undefined : parent === '.' ? name : `${parent}/${name}`;
  };
  for (const [path, imports] of modules) {
    const from = childOf(path);
    if (from === undefined) continue;
    const targets = graph.get(from) ?? new Set();
    graph.set(from, targets);
    for (const { file = '' } of imports) {
      const to = childOf(file);
      if (to !== undefined && to !== from) targets.add(to);
    }
  }
  return graph;
}

function ancestors(path: string): string[] {
  const folder = dirname(path);
  return folder === '.' ? ['.'] : [folder, ...ancestors(folder)];
}

/** One cycle for each node that reaches itself and is in none of the cycles found before. */
function findCycles(graph: Graph): string[][] {
  const cycles: string[][] = [];
  const done = new Set<string>();
  const visit = (node: string, way: string[]): void => {
    const at = way.indexOf(node);
    if (at >= 0) return void cycles.push(way.slice(at));
    if (done.has(node)) return;
    for (const next of graph.get(node) ?? []) visit(next, [...way, node]);
    done.add(node);
  };
  for (const node of graph.keys()) visit(node, []);
  return cycles;
}
