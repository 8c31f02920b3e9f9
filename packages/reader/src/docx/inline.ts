import { type InlineMarks, UNMARKED } from '../inline/inline-marks.ts';
import { inFont, symbolOf } from '../inline/symbol-fonts.ts';
import { lowered, raised } from '../inline/raised.ts';
import { child, descendants, isOn, valueOf, type XmlNode } from '../xml.ts';
import { latexOf } from './math.ts';
import {
  fontOf,
  heightOf,
  isListingStyle,
  isMonospaced,
  isTermStyle,
  struckOf,
  type Style,
  type Styles,
} from './styles.ts';

/** What stands in a paragraph besides its text. */
export type Extra =
  | { kind: 'figure'; alt: string; picture?: string | undefined }
  | { kind: 'chart' | 'diagram'; id: string; alt: string }
  | { kind: 'box'; content: XmlNode };

/** The content of one paragraph. */
export interface Inline {
  text: string;
  extras: Extra[];
  /** A page break before its first text. */
  breakBefore: boolean;
  /** A page break after its first text. */
  breakAfter: boolean;
  /** Whether all its text is bold. */
  bold: boolean;
  /** Whether it is a line of a listing, by its style or font. */
  listing: boolean;
}

/** What is the same for all paragraphs of a document. */
export interface InlineContext {
  styles: Styles;
  marks: InlineMarks;
  /** The address that a relationship of the document names. */
  targetOf(relationship: string): string;
  /** The mark of a note in the text. */
  markOf(kind: 'footnote' | 'endnote', id: string): string;
  /** Takes note of a remark, which has no mark in the text. */
  remark(id: string): void;
}

const BOX = { checked: '☒', empty: '☐' } as const;
/** Not text of the document: properties, deletions, instructions of fields, comments, and the reading of ruby. */
const SILENT =
  /^(?:w:(?:p|r|rPr|pPr|sdtPr|sdtEndPr|tblPr|del|delText|moveFrom|delInstrText|annotationRef|footnoteRef|endnoteRef|rubyPr))$|^m:.*Pr$/;
const LONGEST_INSTRUCTION = 4_000;

/** Reads the text of a paragraph: insertions without deletions, results of fields without their instructions. */
export function readInline(paragraph: XmlNode, style: Style, context: InlineContext): Inline {
  const { styles } = context;
  const inline: Inline = {
    text: '',
    extras: [],
    breakBefore: false,
    breakAfter: false,
    bold: true,
    listing: true,
  };
  /** Open fields, with the end of the link that a field's result is. */
  const fields: { instruction: string; end?: string }[] = [];
  /** Open fields whose result has not begun. */
  let instructions = 0;
  let hasText = false;

  const write = (text: string, run?: XmlNode): void => {
    if (text === '' || instructions > 0) return;
    const properties = child(run, 'w:rPr');
    const character = styles.character(valueOf(properties, 'w:rStyle'));
    const isStruck = struckOf(properties) ?? character?.struck ?? style.struck;
    const { begin, end } = isStruck ? context.marks.struck : UNMARKED;
    inline.text += `${begin}${text}${end}`;
    if (text.trim() === '') return;
    hasText = true;
    inline.bold &&= isOn(properties, 'w:b') ?? character?.bold ?? style.bold ?? false;
    inline.listing &&= isMonospaced(fontOf(properties) ?? character?.font ?? style.font);
  };
  /** Text at the height of its run. */
  const atHeight = (text: string, run?: XmlNode): string => {
    const properties = child(run, 'w:rPr');
    const height = heightOf(properties) ?? styles.character(valueOf(properties, 'w:rStyle'))?.height;
    if (height === 'superscript') return raised(text);
    return height === 'subscript' ? lowered(text, inline.text.slice(-2)) : text;
  };
  const beginLink = (target: string): string => {
    const { begin, end } = instructions > 0 ? UNMARKED : context.marks.link(target);
    inline.text += begin;
    return end;
  };
  const visit = (node: XmlNode, run?: XmlNode): void => {
    const visitAll = (nodes: readonly XmlNode[] = node.children): void => {
      for (const one of nodes) visit(one, run);
    };
    switch (node.name) {
      case 'w:r':
        if (!isHidden(node, style, styles))
          for (const one of node.children) if (one.name !== 'w:rPr') visit(one, node);
        return;
      case 'w:t':
        return write(atHeight(textOf(node.text, child(run, 'w:rPr')), run), run);
      case 'w:tab':
      case 'w:ptab':
        return write('\t', run);
      case 'w:br':
        if (node.attributes['w:type'] !== 'page') return write('\n', run);
        if (hasText) inline.breakAfter = true;
        else inline.breakBefore = true;
        return;
      case 'w:cr':
        return write('\n', run);
      case 'w:noBreakHyphen':
        return write('-', run);
      case 'w:sym':
        return write(symbolOf(node.attributes['w:font'] ?? '', node.attributes['w:char'] ?? ''), run);
      case 'w:footnoteReference':
      case 'w:endnoteReference': {
        const kind = node.name === 'w:footnoteReference' ? 'footnote' : 'endnote';
        return write(context.markOf(kind, node.attributes['w:id'] ?? ''), run);
      }
      case 'w:commentReference':
        return context.remark(node.attributes['w:id'] ?? '');
      case 'w:fldChar': {
        const type = node.attributes['w:fldCharType'];
        if (type === 'begin') {
          write(formField(node), run);
          fields.push({ instruction: '' });
          instructions += 1;
          return;
        }
        const field = fields.at(-1);
        if (field && field.end === undefined) instructions -= 1;
        if (type === 'separate' && field) field.end = beginLink(targetOf(field.instruction));
        else inline.text += fields.pop()?.end ?? '';
        return;
      }
      case 'w:instrText': {
        const field = fields.at(-1);
        if (field && field.instruction.length < LONGEST_INSTRUCTION) field.instruction += node.text;
        return;
      }
      case 'w:hyperlink':
      case 'w:fldSimple': {
        const { 'r:id': id = '', 'w:instr': instruction = '' } = node.attributes;
        const end = beginLink(node.name === 'w:hyperlink' ? context.targetOf(id) : targetOf(instruction));
        visitAll();
        inline.text += end;
        return;
      }
      case 'w:sdt': {
        if (isPrompting(node)) return;
        const box = child(child(node, 'w:sdtPr'), 'w14:checkbox');
        if (box) return write(isOn(box, 'w14:checked') ? BOX.checked : BOX.empty, run);
        return visitAll();
      }
      case 'w:ruby': {
        visitAll(child(node, 'w:rubyBase')?.children);
        const reading = [...descendants(child(node, 'w:rt') ?? node, 'w:t')].map(({ text }) => text).join('');
        return write(`(${reading})`, run);
      }
      case 'm:oMathPara':
        return write(
          formulas(node)
            .map((latex) => `$$${latex}$$`)
            .join('\n'),
        );
      case 'm:oMath': {
        const latex = latexOf(node);
        return write(latex && `$${latex}$`);
      }
      case 'mc:AlternateContent':
        return visitAll(chosen(node));
      case 'w:drawing':
      case 'w:pict':
      case 'w:object':
        if (instructions === 0) for (const extra of drawn(node)) inline.extras.push(extra);
        return;
      default:
        if (!SILENT.test(node.name)) visitAll();
    }
  };
  for (const one of paragraph.children) visit(one);
  inline.bold &&= hasText;
  const fontDecides = hasText && !isMonospaced(styles.defaultFont) && !isTermStyle(style);
  inline.listing = isListingStyle(style) || (inline.listing && fontDecides);
  return inline;
}

/** The address in the instruction of a field; empty for a field of another kind, and for a place in the document. */
const targetOf = (instruction: string): string =>
  /^\s*HYPERLINK\s+(?!\\l)"?([^"\s]+)/i.exec(instruction)?.[1] ?? '';

/** Whether a control shows what to enter, instead of content. */
export const isPrompting = (control: XmlNode): boolean =>
  isOn(child(control, 'w:sdtPr'), 'w:showingPlcHdr') ?? false;

const formulas = (node: XmlNode): string[] => [...descendants(node, 'm:oMath')].map(latexOf).filter(Boolean);

/** The first alternative: what follows shows the same to older programs. */
export const chosen = (alternatives: XmlNode): XmlNode[] =>
  (child(alternatives, 'mc:Choice') ?? child(alternatives, 'mc:Fallback'))?.children ?? [];

function isHidden(run: XmlNode, style: Style, styles: Styles): boolean {
  const properties = child(run, 'w:rPr');
  const character = styles.character(valueOf(properties, 'w:rStyle'));
  return isOn(properties, 'w:vanish') ?? character?.hidden ?? style.hidden ?? false;
}

const textOf = (text: string, properties: XmlNode | undefined): string =>
  inFont(text.replaceAll('\u00AD', ''), fontOf(properties));

/** The state of a check box, or the choice of a list, of a form of an older kind. */
function formField(begin: XmlNode): string {
  const data = child(begin, 'w:ffData');
  const box = child(data, 'w:checkBox');
  if (box) return (isOn(box, 'w:checked') ?? isOn(box, 'w:default')) ? BOX.checked : BOX.empty;
  const list = child(data, 'w:ddList');
  const entries = list?.children.filter(({ name }) => name === 'w:listEntry') ?? [];
  const at = Number(valueOf(list, 'w:result') ?? valueOf(list, 'w:default') ?? 0);
  return entries[at]?.attributes['w:val'] ?? '';
}

/** Pictures, charts, diagrams and text boxes of a drawing. */
function drawn(drawing: XmlNode): Extra[] {
  const extras: Extra[] = [];
  let isPictured = false;
  let alt = '';
  const visit = (node: XmlNode): void => {
    const { attributes } = node;
    switch (node.name) {
      case 'wp:docPr':
        alt = attributes['descr'] ?? attributes['title'] ?? '';
        return;
      case 'v:shape':
        alt = attributes['alt'] ?? '';
        break;
      case 'pic:pic':
      case 'v:imagedata':
        // A group of pictures is one figure.
        if (!isPictured) {
          const [blip] = descendants(node, 'a:blip');
          const picture = blip?.attributes['r:embed'] ?? attributes['r:id'];
          extras.push({ kind: 'figure', alt, picture });
        }
        isPictured = true;
        return;
      case 'v:textpath':
        extras.push({ kind: 'figure', alt: attributes['string'] ?? '' });
        return;
      case 'c:chart':
        extras.push({ kind: 'chart', id: attributes['r:id'] ?? '', alt });
        return;
      case 'dgm:relIds':
        extras.push({ kind: 'diagram', id: attributes['r:dm'] ?? '', alt });
        return;
      case 'w:txbxContent':
        extras.push({ kind: 'box', content: node });
        return;
      case 'mc:AlternateContent':
        for (const one of chosen(node)) visit(one);
        return;
    }
    for (const one of node.children) visit(one);
  };
  visit(drawing);
  return extras;
}
