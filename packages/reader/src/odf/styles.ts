/** What the styles of an OpenDocument say about its texts, lists and pages. */
import { isMonospaced } from '../docx/styles.ts';
import { childAt, childrenOf, descendants, type MarkupElement } from '../markup/parse-markup.ts';

/** How a paragraph or a part of it looks; what its style leaves open comes from the style it is based on. */
export interface Style {
  struck?: boolean;
  hidden?: boolean;
  height?: 'super' | 'sub';
  font?: string;
  breakBefore?: boolean;
  /** Of the pages that begin with its paragraphs. */
  masterPage?: string;
  /** Whether it is `Title`, or based on it. */
  isTitle?: boolean;
  /** Whether its font is that of listings. */
  isListing?: boolean;
  outlineLevel?: number;
  /** Whether the table, or the slide, is shown. */
  isShown?: boolean;
}

/** The number format of a level of a list; no format for bullets. */
export interface Level {
  format: string | undefined;
  prefix: string;
  suffix: string;
  /** How many levels its number shows, itself included. */
  shown: number;
  start: number;
}

export interface Styles {
  of(family: string, name: string | undefined): Style;
  /** The levels of a list style, from 1. */
  list(name: string | undefined): ReadonlyMap<number, Level>;
  /** Of headings. */
  outline: ReadonlyMap<number, Level>;
}

const FORMATS = new Map([
  ['1', 'decimal'],
  ['01', 'decimalZero'],
  ['a', 'lowerLetter'],
  ['A', 'upperLetter'],
  ['i', 'lowerRoman'],
  ['I', 'upperRoman'],
  ['', 'none'],
  // LibreOffice writes the beginning of the others.
  ['①, ②, ③, ...', 'decimalEnclosedCircle'],
  ['一, 二, 三, ...', 'chineseCounting'],
  ['甲, 乙, 丙, ...', 'ideographTraditional'],
  ['子, 丑, 寅, ...', 'ideographZodiac'],
  ['ア, イ, ウ, ...', 'aiueo'],
  ['イ, ロ, ハ, ...', 'iroha'],
  ['가, 나, 다, ...', 'ganada'],
  ['ㄱ, ㄴ, ㄷ, ...', 'chosung'],
  ['ก, ข, ค, ...', 'thaiLetters'],
  ['１, ２, ３, ...', 'decimalFullWidth'],
  ['أ, ب, ت, ...', 'arabicAlpha'],
  ['а, б, .., аа, аб, ... (ru)', 'russianLower'],
  ['А, Б, .., Аа, Аб, ... (ru)', 'russianUpper'],
  ['а, б, .., аа, бб, ... (ru)', 'russianLower'],
  ['А, Б, .., Аа, Бб, ... (ru)', 'russianUpper'],
]);
/** Styles that are based on each other. */
const LONGEST_CHAIN = 30;
const MOST_SHOWN = 10;

/** @param parts roots of `styles.xml` and `content.xml`; names of the latter go first */
export function readStyles(...parts: readonly (MarkupElement | undefined)[]): Styles {
  const styles = new Map<string, MarkupElement>();
  const lists = new Map<string, ReadonlyMap<number, Level>>();
  let outline: ReadonlyMap<number, Level> = new Map();
  for (const root of parts) {
    for (const holder of ['styles', 'automatic-styles'].flatMap((name) => childrenOf(root, name))) {
      for (const node of childrenOf(holder)) {
        const { 'style:family': family = '', 'style:name': name = '' } = node.attributes;
        if (node.name === 'style') styles.set(`${family} ${name}`, node);
        else if (node.name === 'list-style') lists.set(name, levelsOf(node));
        else if (node.name === 'outline-style') outline = levelsOf(node);
      }
    }
  }
  const known = new Map<string, Style>();
  const styleOf = (key: string, depth: number): Style => {
    const before = known.get(key);
    if (before) return before;
    const node = styles.get(key);
    const parent = node?.attributes['style:parent-style-name'];
    const family = key.slice(0, key.indexOf(' '));
    const inherited =
      parent === undefined || depth > LONGEST_CHAIN ? {} : styleOf(`${family} ${parent}`, depth + 1);
    const style = node ? { ...inherited, ...ownOf(node) } : {};
    known.set(key, style);
    return style;
  };
  return {
    of: (family, name) => (name === undefined ? {} : styleOf(`${family} ${name}`, 0)),
    list: (name = '') => lists.get(name) ?? new Map<number, Level>(),
    outline,
  };
}

function ownOf(node: MarkupElement): Style {
  const { attributes } = node;
  const text = childAt(node, 'text-properties')?.attributes ?? {};
  const paragraph = childAt(node, 'paragraph-properties')?.attributes ?? {};
  const table = childAt(node, 'table-properties')?.attributes['table:display'];
  const slide = childAt(node, 'drawing-page-properties')?.attributes['presentation:visibility'];
  const line = text['style:text-line-through-style'] ?? text['style:text-line-through-type'];
  const position = /^\s*(super|sub|-?\d)/.exec(text['style:text-position'] ?? '')?.[1];
  const isLow = position === 'sub' || position === '-' || /^-\d/.test(position ?? '');
  const names = [attributes['style:name'], attributes['style:display-name']].map((name) =>
    name?.replaceAll('_20_', ' ').toLowerCase(),
  );
  const font = text['style:font-name'] ?? text['fo:font-family'];
  const isMono =
    attributes['style:family'] === 'paragraph' && !names.includes('standard') && isMonospaced(font);
  const level = Number(attributes['style:default-outline-level']);
  const master = attributes['style:master-page-name'];
  const before = paragraph['fo:break-before'];
  return {
    ...(line !== undefined && { struck: line !== 'none' }),
    // A second face of a family is named `Wingdings1`; `Wingdings 2` is another family.
    ...(font !== undefined && { font: font.replace(/(?<=[a-z])\d$/i, '') }),
    ...(text['text:display'] !== undefined && { hidden: text['text:display'] === 'none' }),
    ...(position !== undefined &&
      position !== '0' && { height: isLow ? ('sub' as const) : ('super' as const) }),
    ...(before !== undefined && { breakBefore: before === 'page' }),
    ...(master !== undefined && master !== '' && { masterPage: master }),
    ...(names.includes('title') && { isTitle: true }),
    ...(isMono && { isListing: true }),
    ...(level >= 1 && { outlineLevel: level }),
    ...(table !== undefined && { isShown: table !== 'false' }),
    ...(slide !== undefined && { isShown: slide !== 'hidden' }),
  };
}

function levelsOf(list: MarkupElement): Map<number, Level> {
  return new Map(
    childrenOf(list).flatMap(({ name, attributes }): [number, Level][] => {
      const level = Number(attributes['text:level']);
      if (!(level >= 1)) return [];
      const isNumber = name === 'list-level-style-number' || name === 'outline-level-style';
      const number = {
        format: isNumber ? (FORMATS.get(attributes['style:num-format'] ?? '') ?? 'decimal') : undefined,
        prefix: attributes['style:num-prefix'] ?? '',
        suffix: attributes['style:num-suffix'] ?? '',
        shown: Math.min(MOST_SHOWN, Number(attributes['text:display-levels'] ?? 1) || 1),
        start: Number.parseInt(attributes['text:start-value'] ?? '1', 10) || 1,
      };
      return [[level, number]];
    }),
  );
}

/** Headers and footers that a master page shows, of right pages or all. */
export function marginsOf(
  styles: MarkupElement | undefined,
  master: string,
): [name: string, MarkupElement][] {
  const page = [...descendants(childAt(styles, 'master-styles'), 'master-page')].find(
    ({ attributes }) => attributes['style:name'] === master,
  );
  return ['header', 'footer'].flatMap((name) =>
    childrenOf(page, name)
      .filter(({ attributes }) => attributes['style:display'] !== 'false')
      .map((node): [string, MarkupElement] => [name, node]),
  );
}
