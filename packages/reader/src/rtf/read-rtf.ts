/** Interprets RTF. The file is long because groups, looks and destinations are one state, which each group saves. */
import { isMonospaced } from '../docx/styles.ts';
import { symbolOf } from '../inline/symbol-fonts.ts';
import { CellCount } from '../flow/grid.ts';
import type { FlowElement } from '../flow/paginate.ts';
import { InlineMarks, UNMARKED } from '../inline/inline-marks.ts';
import { lowered, raised } from '../inline/raised.ts';
import { LIMITS } from '../limits.ts';
import { UnreadableDocument } from '../opened-document.ts';
import { decodePart } from '../text/decode-text.ts';
import { codePage, pageOfCharset, SYMBOLS } from './code-pages.ts';
import { type CellPlace, type ParagraphLook, RtfFlow } from './rtf-flow.ts';
import { tokensOf } from './tokens.ts';
import { ASIDE, SHOWN, SIGNS, SILENT } from './words.ts';

export interface RtfContent {
  pages: FlowElement[][];
  title: string;
  author: string;
  /** When it was made, by the words of RTF: `yr`, `mo`. */
  created: ReadonlyMap<string, number>;
  notes: string[];
}

interface Font {
  name: string;
  /** The code page of its text; that of the document without one. */
  page?: string | undefined;
  isSymbols?: boolean;
}

/** What text goes into. */
type Destination =
  | 'text'
  /** Nothing: instructions, and what the reader does not know. */
  | 'none'
  /** A number or a bullet. */
  | 'marker'
  | 'fonts'
  | 'styles'
  | 'instruction'
  /** Facts about the document. */
  | 'info'
  | 'title'
  | 'author'
  | 'created';

/** What a group begins with, and gives back at its end. */
interface State {
  to: Destination;
  /** What the text in Unicode goes into that stands beside one for older programs. */
  unicode: Destination | undefined;
  flow: RtfFlow;
  font: number;
  /** Characters that stand for one in Unicode for older programs. */
  fallback: number;
  hidden: boolean;
  /** Whether it is of the style of prompts, whatever else hides it. */
  isPrompt: boolean;
  deleted: boolean;
  struck: boolean;
  height: 'super' | 'sub' | undefined;
  style: number;
  /** Whether an entry of the styles is one of characters: these have numbers of their own. */
  isOfCharacters: boolean;
  outline: number | undefined;
  list: number | undefined;
  listLevel: number;
  inTable: boolean;
  isInner: boolean;
  /** What its end does. */
  end?: (() => void) | undefined;
}

const NO_TEXT: ReadonlySet<Destination> = new Set(['none', 'info', 'created']);
const HEADING = /^heading ([1-9])\b/i;
/** The style of the prompts of empty controls. */
const PROMPT = /^placeholder text$/i;
const BOX = { on: '☒', off: '☐' } as const;
/** What a field of a form has if it has no state of its own. */
const BY_DEFAULT = 25;
/** Less is an adjustment of the line, in half points. */
const LEAST_MOVE = 2;
const LONGEST_NAME = 500;
const PLAIN = { level: undefined, listLevel: undefined, isListing: false, inTable: false, isInner: false };
const MOST_PLACES = 1_000;

/** @throws UnreadableDocument */
export function readRtf(bytes: Uint8Array): RtfContent {
  const marks = new InlineMarks();
  const cells = new CellCount();
  const body = new RtfFlow(marks, cells);
  const pages: FlowElement[][] = [];
  const notes = new Set<string>();
  /** What follows the text of the page, and lines of its margins, each once. */
  let after: FlowElement[] = [];
  const shown = new Set<string>();
  const fonts = new Map<number, Font>();
  const levels = new Map<number, number>();
  const prompts = new Set<number>();
  const facts = { title: '', author: '', created: new Map<string, number>() };
  let defaultFont = 0;
  let documentPage = 'windows-1252';
  let characters = 0;
  let noteCount = 0;
  /** Whether a section has ended, and the next one begins a page. */
  let breaksBefore = false;
  /** The row that is being defined. */
  let places: CellPlace[] = [];
  let place = { continues: false, joined: false };
  let isHeader = false;

  const states: State[] = [];
  let state: State = {
    to: 'text',
    unicode: undefined,
    flow: body,
    font: 0,
    fallback: 1,
    hidden: false,
    isPrompt: false,
    deleted: false,
    struck: false,
    height: undefined,
    style: 0,
    isOfCharacters: false,
    outline: undefined,
    list: undefined,
    listLevel: 0,
    inTable: false,
    isInner: false,
  };
  /** Whether the group has just begun, and says that older programs skip it. */
  let isStarred = false;
  let isFirst = false;
  /** Characters that are left of a fallback. */
  let toSkip = 0;
  let pending: number[] = [];
  let name = '';
  let field = { instruction: '', end: '' };
  const form = { result: BY_DEFAULT, byDefault: 0, type: -1 };

  const isHidden = (): boolean => state.hidden || state.isPrompt;
  const look = (): ParagraphLook => ({
    level: state.outline ?? levels.get(state.style),
    listLevel: state.list === undefined ? undefined : state.listLevel,
    isListing: !isMonospaced(fonts.get(defaultFont)?.name),
    inTable: state.inTable,
    isInner: state.isInner,
  });
  const write = (text: string): void => {
    characters += text.length;
    if (characters > LIMITS.textBytes)
      throw new UnreadableDocument('too_large', `The document has more than ${LIMITS.textBytes} characters.`);
    switch (state.to) {
      case 'text': {
        if (isHidden() || state.deleted) return;
        const { height, flow, struck } = state;
        const placed = height === 'super' ? raised(text) : height === 'sub' ? lowered(text, flow.end) : text;
        const { begin, end } = struck ? marks.struck : UNMARKED;
        if (flow === body && breaksBefore) endPage();
        return flow.write(`${begin}${placed}${end}`, isMonospaced(fonts.get(state.font)?.name));
      }
      case 'marker':
        return isHidden() ? undefined : state.flow.mark(text);
      case 'fonts':
      case 'styles':
        name += text.slice(0, LONGEST_NAME - name.length);
        return;
      case 'instruction':
        field.instruction += text.slice(0, 4 * LONGEST_NAME - field.instruction.length);
        return;
      case 'title':
      case 'author':
        facts[state.to] += text.slice(0, LONGEST_NAME - facts[state.to].length);
    }
  };
  const flush = (): void => {
    if (pending.length === 0) return;
    const { page, isSymbols = false, name: font } = fonts.get(state.font) ?? { name: '' };
    const text =
      isSymbols && state.to !== 'fonts'
        ? pending.map((byte) => symbolOf(font, byte.toString(16)) || String.fromCharCode(byte)).join('')
        : decodePart(Uint8Array.from(pending), page ?? documentPage);
    pending = [];
    write(text);
  };
  const endNames = (): void => {
    const text = name.replace(/;.*$/s, '').trim();
    if (state.to === 'fonts') {
      const font = fonts.get(state.font);
      if (font) font.name ||= text;
    } else if (state.to === 'styles' && state.isOfCharacters) {
      if (PROMPT.test(text)) prompts.add(state.style);
    } else if (state.to === 'styles') {
      const level = /^title$/i.test(text) ? 1 : Number(HEADING.exec(text)?.[1] ?? state.outline ?? 0);
      if (level > 0) levels.set(state.style, level);
    }
    name = '';
  };
  const endPage = (): void => {
    const elements = body.take(look());
    if (elements.length + after.length > 0) pages.push([...elements, ...after]);
    after = [];
    breaksBefore = false;
  };
  /** Text that stands elsewhere, in a flow of its own until the group ends. */
  const aside = (word: string): void => {
    const { flow } = state;
    const role = ASIDE[word];
    const own = new RtfFlow(marks, cells);
    const isNote = word === 'footnote';
    const mark = isNote ? `[${(noteCount += 1)}]` : '';
    if (isNote && !isHidden()) flow.write(mark);
    Object.assign(state, {
      to: 'text',
      flow: own,
      inTable: false,
      isInner: false,
      list: undefined,
      outline: undefined,
      style: 0,
      height: undefined,
    });
    state.end = () => {
      const elements = own.take(PLAIN);
      if (role === undefined) return elements.forEach((element) => flow.add(element));
      for (const [at, element] of elements.entries()) {
        if (role === 'page_header' || role === 'page_footer') {
          const key = `${role} ${JSON.stringify(element)}`;
          if (shown.has(key)) continue;
          shown.add(key);
        }
        const content =
          isNote && at === 0 && 'content' in element ? { content: `${mark} ${element.content}` } : {};
        after.push({ ...element, ...content, role });
      }
    };
  };
  const destination = (word: string): boolean => {
    if (Object.hasOwn(ASIDE, word) || word === 'shptxt' || word === 'dptxbxtext') aside(word);
    else if (word === 'fonttbl') state.to = 'fonts';
    else if (word === 'stylesheet') state.to = 'styles';
    else if (word === 'info') state.to = 'info';
    else if (word === 'title' || word === 'author') state.to = word;
    else if (word === 'creatim') state.to = 'created';
    else if (word === 'upr') [state.to, state.unicode] = ['none', state.to];
    else if (word === 'listtext' || word === 'pntext') {
      if (state.to === 'text') state.to = 'marker';
    } else if (word === 'pict') {
      if (state.to === 'text' && !isHidden()) state.flow.add({ type: 'figure', content: '' });
      state.to = 'none';
    } else if (word === 'mmath') {
      notes.add('Formulas were not read.');
      state.to = 'none';
    } else if (word === 'nesttableprops') {
      // Its row is that of the table within the cell.
      const outer = [places, place, isHeader] as const;
      state.end = () => ([places, place, isHeader] = [...outer]);
    } else if (word === 'field') field = { instruction: '', end: '' };
    else if (word === 'fldinst') state.to = 'instruction';
    else if (word === 'fldrslt') {
      const target = /^\s*HYPERLINK\s+(?!\\l)"?([^"\s]+)/i.exec(field.instruction)?.[1] ?? '';
      const { begin, end } = marks.link(target);
      const { flow } = state;
      flow.write(begin);
      state.end = () => flow.write(end);
    } else if (word === 'formfield') Object.assign(form, { result: BY_DEFAULT, byDefault: 0, type: -1 });
    else if (SILENT.has(word) || (isStarred && !SHOWN.has(word) && !(word === 'cs' && state.to === 'styles')))
      state.to = 'none';
    else return SHOWN.has(word);
    return true;
  };
  const control = (word: string, value: number | undefined): void => {
    if (state.to === 'none') return;
    const isOn = value !== 0;
    switch (word) {
      case 'u': {
        const code = (value ?? 0) < 0 ? (value ?? 0) + 0x10000 : (value ?? 0);
        toSkip = state.fallback;
        const { name: font = '' } = fonts.get(state.font) ?? {};
        const symbol = code >= 0xf020 && code <= 0xf0ff ? symbolOf(font, code.toString(16)) : '';
        return write(symbol || (code <= 0x10ffff ? String.fromCodePoint(code) : '\uFFFD'));
      }
      case 'uc':
        state.fallback = Math.max(0, value ?? 1);
        return;
      case 'ansicpg':
        documentPage = codePage(value ?? 0) ?? documentPage;
        return;
      case 'mac':
        documentPage = 'macintosh';
        return;
      case 'pc':
      case 'pca':
        documentPage = word === 'pc' ? 'cp437' : 'cp850';
        return;
      case 'deff':
        defaultFont = value ?? 0;
        state.font = defaultFont;
        return;
      case 'f':
        if (state.to === 'fonts') {
          endNames();
          fonts.set(value ?? 0, { name: '' });
        }
        state.font = value ?? 0;
        return;
      case 'fcharset':
      case 'cpg': {
        const font = fonts.get(state.font);
        if (!font || state.to !== 'fonts') return;
        font.isSymbols ||= word === 'fcharset' && value === SYMBOLS;
        font.page = (word === 'cpg' ? codePage(value ?? 0) : pageOfCharset(value ?? 1)) ?? font.page;
        return;
      }
      case 's':
        state.style = value ?? 0;
        return;
      case 'cs':
        if (state.to === 'styles') [state.style, state.isOfCharacters] = [value ?? 0, true];
        else state.isPrompt = prompts.has(value ?? 0);
        return;
      case 'plain':
        return void Object.assign(state, {
          font: defaultFont,
          hidden: false,
          isPrompt: false,
          struck: false,
          height: undefined,
          deleted: false,
        });
      case 'pard':
        return void Object.assign(state, {
          style: 0,
          outline: undefined,
          list: undefined,
          listLevel: 0,
          inTable: false,
          isInner: false,
        });
      case 'v':
        state.hidden = isOn;
        return;
      case 'deleted':
        state.deleted = isOn;
        return;
      case 'strike':
      case 'striked':
        state.struck = isOn;
        return;
      case 'super':
      case 'sub':
        state.height = isOn ? word : undefined;
        return;
      case 'up':
      case 'dn':
        state.height = (value ?? LEAST_MOVE) < LEAST_MOVE ? undefined : word === 'up' ? 'super' : 'sub';
        return;
      case 'nosupersub':
        state.height = undefined;
        return;
      case 'outlinelevel':
        state.outline = value !== undefined && value >= 0 && value < 9 ? value + 1 : undefined;
        return;
      case 'ls':
        state.list = value;
        return;
      case 'ilvl':
        state.listLevel = Math.max(0, Math.min(8, value ?? 0));
        return;
      case 'intbl':
        state.inTable = isOn;
        return;
      case 'itap':
        state.isInner = (value ?? 1) > 1;
        return;
      case 'trowd':
        [places, place, isHeader] = [[], { continues: false, joined: false }, false];
        return;
      case 'trhdr':
        isHeader = true;
        return;
      case 'clvmrg':
        place.continues = true;
        return;
      case 'clmrg':
        place.joined = true;
        return;
      case 'cellx':
        if (places.length < MOST_PLACES) places.push({ end: value ?? 0, ...place });
        place = { continues: false, joined: false };
        return;
      case 'fftype':
        form.type = value ?? 0;
        return;
      case 'ffres':
        form.result = value ?? 0;
        return;
      case 'ffdefres':
        form.byDefault = value ?? 0;
        return;
    }
    if (state.to === 'created' && value !== undefined) facts.created.set(word, value);
    if (state.to !== 'text' && !Object.hasOwn(SIGNS, word)) return;
    switch (word) {
      case 'par':
        return state.flow.paragraph(look());
      case 'cell':
        return state.flow.cell(look());
      case 'nestcell':
        return state.flow.innerCell(look());
      case 'nestrow':
        return state.flow.innerRow(places, isHeader);
      case 'row':
        return state.flow.row(places, isHeader);
      case 'sect':
        body.paragraph(look());
        breaksBefore = true;
        return;
      case 'sbknone':
        breaksBefore = false;
        return;
      case 'page':
        return state.flow === body && !state.inTable ? endPage() : undefined;
      default:
        if (Object.hasOwn(SIGNS, word)) write(SIGNS[word] ?? '');
    }
  };
  const open = (): void => {
    if (states.length > LIMITS.xmlDepth)
      throw new UnreadableDocument('too_large', 'The document has too many groups in each other.');
    states.push(state);
    state = { ...state, end: undefined };
    [isStarred, isFirst] = [false, true];
  };
  const close = (): void => {
    if (state.to === 'fonts' || state.to === 'styles') endNames();
    const { end, to } = state;
    const outer = states.pop();
    if (outer) state = outer;
    end?.();
    // The state of a box that has no result.
    if (to === 'instruction' && state.to === 'text' && form.type === 1) {
      form.type = -1;
      const result = form.result === BY_DEFAULT ? form.byDefault : form.result;
      write(result === 1 ? BOX.on : BOX.off);
    }
    isFirst = false;
  };

  for (const token of tokensOf(bytes)) {
    if (token.kind === 'byte') {
      isFirst = false;
      if (toSkip > 0) toSkip -= 1;
      else if (!NO_TEXT.has(state.to)) pending.push(token.value);
      continue;
    }
    if (token.kind !== 'control') {
      flush();
      toSkip = 0;
      if (token.kind === 'open') open();
      else close();
      continue;
    }
    const { word, value } = token;
    flush();
    if (toSkip > 0 && Object.hasOwn(SIGNS, word)) {
      toSkip -= 1;
      continue;
    }
    toSkip = 0;
    if (word === '*') {
      isStarred = true;
      continue;
    }
    if (word === 'ud' && isStarred && state.unicode !== undefined)
      [state.to, state.unicode] = [state.unicode, undefined];
    else if ((isFirst || isStarred) && state.to !== 'none' && destination(word)) {
      [isFirst, isStarred] = [false, false];
      continue;
    }
    [isFirst, isStarred] = [false, false];
    control(word, value);
  }
  flush();
  if (states.length > 0) notes.add('The end of the document is missing.');
  while (states.length > 0) close();
  endPage();
  const { title, author, created } = facts;
  return { pages, title: title.trim(), author: author.trim(), created, notes: [...notes] };
}
