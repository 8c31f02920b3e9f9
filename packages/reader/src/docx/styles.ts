import { child, isOn, valueOf, type XmlNode } from '../xml.ts';

/** A paragraph's number: which list, and how deep. */
export interface NumberReference {
  id: string;
  level: number;
}

/** What a style, with all it is based on, says about text. */
export interface Style {
  /** Its id, then those of the styles it is based on. */
  chain: readonly string[];
  /** In lower case. Built-in styles have their English name in all languages. */
  name: string;
  /** From 1, if its paragraphs are headings. */
  headingLevel: number | undefined;
  numbering: { id: string | undefined; level: number | undefined };
  bold: boolean | undefined;
  font: string | undefined;
  hidden: boolean | undefined;
  struck: boolean | undefined;
  height: Height | undefined;
  pageBreakBefore: boolean;
}

type Height = 'superscript' | 'subscript' | 'baseline';

export interface Styles {
  paragraph(id: string | undefined): Style;
  character(id: string | undefined): Style | undefined;
  /** The list of a numbering style. */
  numberingOf(id: string): string | undefined;
  /** The font of text without another. */
  defaultFont: string | undefined;
}

/** Fonts and styles of listings. */
const MONOSPACED =
  /\b(?:courier|consolas|menlo|monaco|inconsolata|typewriter|terminal|fixedsys|lucida console|andale|(?:\w+ ?)?mono(?:space[d]?)?|source code|fira code|cascadia code|cmtt\d*|hack)\b|mono\b/i;
const LISTING =
  /\b(?:source ?code|code ?block|code|html preformatted|preformatted(?: text)?|verbatim|listing|macro|plain ?text)\b/;

export const isMonospaced = (font: string | undefined): boolean =>
  font !== undefined && MONOSPACED.test(font);
/** Terms that are defined are often monospaced, but no listing. */
export const isTermStyle = ({ name }: Style): boolean => /\bterm\b/.test(name);
export const isListingStyle = ({ name }: Style): boolean =>
  LISTING.test(name) && !/caption|title|char$/.test(name);

/** Names of heading styles in documents that do not use the built-in ones. */
const HEADING =
  /^(?:heading|überschrift|titre|título|titulo|titolo|kop|rubrik|overskrift|otsikko|nagłówek|nadpis|címsor|titlu|başlık|заголовок|επικεφαλίδα|見出し|标题|標題|제목|عنوان|כותרת) ?([1-9])$/;
/** Outline level of body text. */
const BODY = 9;
/** Styles are based on each other in chains of a few; a cycle ends here. */
const LONGEST_CHAIN = 20;
/** Longest name of a font. */
const LONGEST_NAME = 100;

/** Reads `styles.xml`. */
export function readStyles(root: XmlNode | undefined): Styles {
  const nodes = new Map<string, XmlNode>();
  const defaults = new Map<string, string>();
  for (const node of root?.children ?? []) {
    const { 'w:styleId': id, 'w:type': type = '' } = node.attributes;
    if (node.name !== 'w:style' || id === undefined) continue;
    nodes.set(id, node);
    if (/^(?:1|true|on)$/.test(node.attributes['w:default'] ?? '')) defaults.set(type, id);
  }
  const basic = child(child(child(root, 'w:docDefaults'), 'w:rPrDefault'), 'w:rPr');
  const known = new Map<string, Style>();
  const styleOf = (id: string): Style => {
    let style = known.get(id);
    if (!style) {
      style = combine(id, nodes);
      known.set(id, style);
    }
    return style;
  };
  const normal = defaults.get('paragraph') ?? '';
  return {
    paragraph: (id) => styleOf(id ?? normal),
    character: (id) => (id === undefined ? undefined : styleOf(id)),
    numberingOf: (id) => styleOf(id).numbering.id,
    defaultFont: styleOf(normal).font ?? fontOf(basic),
  };
}

/** The nearest style of a chain that says something decides. */
function combine(id: string, nodes: ReadonlyMap<string, XmlNode>): Style {
  const chain: XmlNode[] = [];
  let next: string | undefined = id;
  while (next !== undefined && chain.length < LONGEST_CHAIN) {
    const node = nodes.get(next);
    if (!node) break;
    chain.push(node);
    next = valueOf(node, 'w:basedOn');
  }
  const first = <T>(get: (node: XmlNode) => T | undefined): T | undefined => {
    for (const node of chain) {
      const value = get(node);
      if (value !== undefined) return value;
    }
    return undefined;
  };
  const paragraph = (node: XmlNode) => child(node, 'w:pPr');
  const run = (node: XmlNode) => child(node, 'w:rPr');
  const nameOf = (node: XmlNode) => (valueOf(node, 'w:name') ?? id).toLowerCase().trim();
  const numbering = (node: XmlNode) => child(paragraph(node), 'w:numPr');
  return {
    chain: chain.map(({ attributes }) => attributes['w:styleId'] ?? ''),
    name: first(nameOf) ?? id.toLowerCase(),
    headingLevel: headingLevel(
      first((node) => {
        const outline = valueOf(paragraph(node), 'w:outlineLvl');
        const named = HEADING.exec(nameOf(node))?.[1];
        if (outline !== undefined) return Number(outline);
        return named === undefined ? undefined : Number(named) - 1;
      }) ?? Number(HEADING.exec(id.toLowerCase())?.[1] ?? BODY + 1) - 1,
    ),
    numbering: {
      id: first((node) => valueOf(numbering(node), 'w:numId')),
      level: first((node) => levelOf(numbering(node))),
    },
    bold: first((node) => isOn(run(node), 'w:b')),
    font: first((node) => fontOf(run(node))),
    hidden: first((node) => isOn(run(node), 'w:vanish')),
    struck: first((node) => struckOf(run(node))),
    height: first((node) => heightOf(run(node))),
    pageBreakBefore: first((node) => isOn(paragraph(node), 'w:pageBreakBefore')) ?? false,
  };
}

/** The level of a heading, from 1, by the outline level that Word counts from 0. */
export const headingLevel = (outline: number): number | undefined =>
  outline >= 0 && outline < BODY ? outline + 1 : undefined;

/** The font of Latin text. */
export function fontOf(properties: XmlNode | undefined): string | undefined {
  const fonts = child(properties, 'w:rFonts')?.attributes;
  return (fonts?.['w:ascii'] ?? fonts?.['w:hAnsi'])?.slice(0, LONGEST_NAME);
}

export function struckOf(properties: XmlNode | undefined): boolean | undefined {
  const [once, twice] = [isOn(properties, 'w:strike'), isOn(properties, 'w:dstrike')];
  return once || twice || (once ?? twice);
}

/** Half points that text is moved by to be raised or lowered without that being said. */
const LEAST_MOVE = 4;

export function heightOf(properties: XmlNode | undefined): Height | undefined {
  const height = valueOf(properties, 'w:vertAlign');
  if (height !== undefined) return height as Height;
  const moved = Number(valueOf(properties, 'w:position') ?? 0);
  if (moved >= LEAST_MOVE) return 'superscript';
  return moved <= -LEAST_MOVE ? 'subscript' : undefined;
}

/** The level that `w:numPr` names. */
export function levelOf(numbering: XmlNode | undefined): number | undefined {
  const level = valueOf(numbering, 'w:ilvl');
  return level === undefined ? undefined : Math.min(8, Math.max(0, Number(level) || 0));
}
