import { numeral } from '../flow/numeral.ts';
import { child, isOn, valueOf, type XmlNode } from '../xml.ts';
import type { NumberReference, Styles } from './styles.ts';

/** The number or bullet that Word shows before a paragraph. */
export interface NumberLabel {
  /** `1.2.3`, `a)`; empty for bullets and for paragraphs that continue an item. */
  text: string;
  kind: 'number' | 'bullet' | 'none';
  /** Depth in its list, from 0. */
  level: number;
  /** The definition of its list; lists that count on have the same. */
  list: string;
}

interface Level {
  start: number;
  format: string;
  /** With `%1` for the number of the first level. */
  text: string;
  /** The level (from 1) after which it begins anew: by default any above it, 0 for never. */
  restart: number | undefined;
  /** All numbers in it are shown as digits. */
  legal: boolean;
  /** The paragraph style that is numbered by this level. */
  style: string | undefined;
}

interface List {
  /** Lists of one definition count on. */
  abstract: string;
  levels: Map<number, Level>;
  /** Levels at which this list begins anew. */
  starts: Map<number, number>;
}

const MOST_LEVELS = 9;
const LONGEST_LABEL = 100;

export interface Numbering {
  /** The label of the next paragraph of a list; counts it. */
  next(reference: NumberReference): NumberLabel | undefined;
  /** The level of a list that numbers paragraphs of a style, or of the nearest one it is based on. */
  levelOfStyle(id: string, chain: readonly string[]): number | undefined;
}

/** Reads `numbering.xml` and counts the paragraphs of a document in their order. */
export function readNumbering(root: XmlNode | undefined, styles: Styles): Numbering {
  const lists = readLists(root, styles);
  const counters = new Map<string, (number | undefined)[]>();
  const begun = new Set<string>();
  return {
    next({ id, level }) {
      const list = lists.get(id);
      const own = list?.levels.get(level);
      if (!list || !own) return undefined;
      const counts = counters.get(list.abstract) ?? [];
      counters.set(list.abstract, counts);
      const start = list.starts.get(level);
      const restarts = start !== undefined && !begun.has(`${id} ${level}`);
      begun.add(`${id} ${level}`);
      counts[level] = restarts ? start : (counts[level] ?? own.start - 1) + 1;
      for (const [lower, { restart }] of list.levels)
        if (lower > level && (restart === undefined || level < restart)) counts[lower] = undefined;
      const text = (own.format === 'bullet' ? own.text : labelOf(list, own, counts)).trim();
      const kind = text === '' ? 'none' : own.format === 'bullet' ? 'bullet' : 'number';
      return { text: kind === 'number' ? text : '', kind, level, list: list.abstract };
    },
    levelOfStyle(id, chain) {
      const byStyle = new Map([...(lists.get(id)?.levels ?? [])].map(([at, { style }]) => [style, at]));
      return byStyle.get(chain.find((style) => byStyle.has(style)));
    },
  };
}

function labelOf(list: List, own: Level, counts: readonly (number | undefined)[]): string {
  return own.text.replaceAll(/%([1-9])/g, (_, digit: string) => {
    const level = list.levels.get(Number(digit) - 1);
    if (!level) return '';
    const legal = own.legal && level.format !== 'none';
    return numeral(counts[Number(digit) - 1] ?? level.start, legal ? 'decimal' : level.format);
  });
}

function readLists(root: XmlNode | undefined, styles: Styles): Map<string, List> {
  const children = root?.children ?? [];
  const abstracts = new Map(
    children.flatMap((node) =>
      node.name === 'w:abstractNum' ? [[node.attributes['w:abstractNumId'] ?? '', node] as const] : [],
    ),
  );
  const levelsOf = new Map([...abstracts].map(([id, node]) => [id, levelsIn(node)]));
  const numbers = new Map(
    children.flatMap((node) =>
      node.name === 'w:num' ? [[node.attributes['w:numId'] ?? '', node] as const] : [],
    ),
  );
  const abstractOf = (id: string | undefined, hops = 0): string => {
    const abstract = valueOf(numbers.get(id ?? ''), 'w:abstractNumId') ?? '';
    const style = valueOf(abstracts.get(abstract), 'w:numStyleLink');
    return style !== undefined && hops < 5 ? abstractOf(styles.numberingOf(style), hops + 1) : abstract;
  };
  return new Map(
    [...numbers].map(([id, node]): [string, List] => {
      const abstract = abstractOf(id);
      const levels = new Map(levelsOf.get(abstract));
      const starts = new Map<number, number>();
      for (const override of node.children) {
        if (override.name !== 'w:lvlOverride') continue;
        const level = Number(override.attributes['w:ilvl']);
        for (const [at, own] of levelsIn(override)) levels.set(at, own);
        const start = valueOf(override, 'w:startOverride');
        if (start !== undefined) starts.set(level, Number(start) || 0);
      }
      return [id, { abstract, levels, starts }];
    }),
  );
}

function levelsIn(parent: XmlNode | undefined): Map<number, Level> {
  const levels = new Map<number, Level>();
  for (const node of parent?.children ?? []) {
    const at = Number(node.attributes['w:ilvl']);
    if (node.name !== 'w:lvl' || !(at >= 0 && at < MOST_LEVELS)) continue;
    const restart = valueOf(node, 'w:lvlRestart');
    levels.set(at, {
      start: Number(valueOf(node, 'w:start') ?? 1) || 0,
      format: formatOf(node),
      text: (valueOf(node, 'w:lvlText') ?? '').slice(0, LONGEST_LABEL),
      restart: restart === undefined ? undefined : Number(restart),
      legal: isOn(node, 'w:isLgl') ?? false,
      style: valueOf(node, 'w:pStyle'),
    });
  }
  return levels;
}

/** Newer formats stand beside a plain one for older readers. */
function formatOf(level: XmlNode): string {
  const choice = child(level, 'mc:AlternateContent');
  return valueOf(level, 'w:numFmt') ?? valueOf(child(choice, 'mc:Fallback'), 'w:numFmt') ?? 'decimal';
}
