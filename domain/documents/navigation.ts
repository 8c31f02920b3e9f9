import {
  lengthOf,
  plainText,
  pageNumberOf,
  type PageContent,
  type PageElement,
} from 'darkroom-reader/document';
import type { ChunkRole } from './split-element.ts';

type Navigation = Exclude<ChunkRole, 'body'>;

/** Only the end of a line tells, however long the line is. */
const TAIL = 80;
/** Dots that lead to page numbers, which the reader writes as an ellipsis. */
const LEADER = /(?:…|\.\s?\.)\s{0,2}([\p{Nd}ivxlcA-Z][\p{Nd}ivxlcA-Z,–\- ]{0,40})$/u;
/** The end of an entry of an index without leaders. */
const AFTER_COMMA = /,\s([\p{Nd}ivxlc][\p{Nd}ivxlc,–\- ]{0,40})$/u;
const AFTER_TITLE = /[\p{L})?!”"»]\s(\p{Nd}{1,4}|[ivxlc]{1,7})$/u;
/** Letters above the groups of an index, of one column or of several. */
const GROUPS = /^\S{1,2}(?:\s\S{1,2}){0,5}$/u;

const CONTENTS =
  /^(?:table of contents|contents|list of (?:figures|tables|illustrations|examples)|(?:inhalts|abbildungs|tabellen|beispiel)verzeichnis|inhalt|verzeichnis der .{3,30}|table des matières|sommaire|(?:liste|table) des (?:figures|tableaux|illustrations|exemples)|índice(?: general| de .{3,30})?|índex|tabla de contenidos?|contenidos?|(?:lista|relación) de (?:figuras|tablas|cuadros|ilustraciones)|indice(?: generale| delle .{3,30})?|sommario|elenco delle .{3,30}|sumário|inhoud(?:sopgave)?|المحتويات|فهرس(?: المحتويات)?|جدول المحتويات)$/iu;
const INDEX =
  /(?:^|\s)(?:index|stichwortverzeichnis|sachregister|sachverzeichnis|personenregister|namensregister|register|índice (?:alfabético|analítico|temático|remissivo)|indice analitico|كشاف|الفهرس)$/iu;
/** A longer heading is that of a section about an index. */
const LONGEST_TITLE = 60;
/** A longer line is a sentence. */
const LONGEST_LINE = 200;

/** Fewest entries of a run with leaders, and of one that only its title shows. */
const ENTRIES = 5;
const ENTRIES_BELOW_INDEX = 2;
/** Share of lines that are entries. */
const SHARE = 0.6;
/** Share of neighbours that are in order. */
const IN_ORDER = 0.8;
/** Elements between entries that are none, such as entries of which the numbers were lost; fewer without a title. */
const GAP = { titled: 4, untitled: 2 };
const LONGEST_IN_GAP = 200;

/** What an element shows by itself. */
interface Clue {
  element: PageElement;
  /** `possible`: entries below a title, or between entries with leaders. */
  kind: 'title' | 'entries' | 'possible' | 'other';
  lines: number;
  /** Lines with leaders, and other lines that end in page numbers. */
  led: Entry[];
  ended: Entry[];
}

interface Entry {
  text: string;
  page: number;
}

/**
 * The elements that only say where text is: contents, lists of figures and tables, and indexes of words; all other
 * elements are absent. A run of them is recognised by page numbers after dotted leaders, or by its title and lines that
 * end in page numbers. Precision first: a table of numbers or a list of prices is none.
 *
 * @param pages    in order
 * @param untitled whether runs without a title count
 */
export function findNavigation(
  pages: readonly Pick<PageContent, 'elements'>[],
  { untitled = true } = {},
): Map<PageElement, Navigation> {
  const found = new Map<PageElement, Navigation>();
  let run: Clue[] = [];
  let gap: Clue[] = [];
  const close = (): void => {
    const role = untitled || run[0]?.kind === 'title' ? roleOf(run) : undefined;
    if (role) for (const { element } of run) found.set(element, role);
    run = [];
    gap = [];
  };
  for (const element of pages.flatMap(({ elements }) => elements.filter(isRead))) {
    const clue = clueOf(element);
    const titled = run[0]?.kind === 'title';
    const most = run.length === 0 ? 0 : titled ? GAP.titled : GAP.untitled;
    if (clue.kind === 'title') {
      close();
      run = [clue];
    } else if (clue.kind === 'entries' || (clue.kind === 'possible' && titled && gap.length === 0)) {
      run.push(...gap, clue);
      gap = [];
    } else if (gap.length < most && lengthOf(element) <= LONGEST_IN_GAP) gap.push(clue);
    else close();
  }
  close();
  return found;
}

function isRead(element: PageElement): boolean {
  const { role } = element;
  return role !== 'page_header' && role !== 'page_footer' && plainText(element).trim() !== '';
}

function clueOf(element: PageElement): Clue {
  const lines = linesOf(element);
  const led = entriesOf(lines, LEADER);
  const others = lines.filter((line) => !LEADER.test(line.slice(-TAIL)));
  const groups = others.filter((line) => GROUPS.test(line)).length;
  const ended = [AFTER_COMMA, AFTER_TITLE].flatMap((end) => entriesOf(others, end));
  const clue = { element, lines: lines.length - groups, led, ended };
  if (titleRole(element)) return { ...clue, kind: 'title' };
  if (led.length > 0 && led.length * 2 >= lines.length - groups) return { ...clue, kind: 'entries' };
  return { ...clue, kind: led.length + ended.length >= clue.lines * SHARE ? 'possible' : 'other' };
}

/** Lines without the marks of lists and tables. */
function linesOf(element: PageElement): string[] {
  const lines =
    element.type === 'table'
      ? element.rows.map((cells) => cells.filter((cell) => cell !== '').join(' '))
      : plainText(element)
          .split('\n')
          .map((line) => line.trim());
  return lines.filter((line) => line !== '');
}

function entriesOf(lines: readonly string[], end: RegExp): Entry[] {
  return lines.flatMap((text) => {
    const [, numbers = ''] = (text.length <= LONGEST_LINE && end.exec(text.slice(-TAIL))) || [];
    const [first] = /[\p{N}ivxlc]+/u.exec(numbers) ?? [];
    return first === undefined ? [] : [{ text, page: pageNumberOf(first) }];
  });
}

function titleRole(element: PageElement): Navigation | undefined {
  if (element.type !== 'heading' && element.type !== 'paragraph') return undefined;
  if (element.content.length > LONGEST_TITLE) return undefined;
  const title = element.content.trim().replace(/^[\d.]{1,8}\s/, '');
  if (CONTENTS.test(title)) return 'contents';
  return INDEX.test(title) ? 'index' : undefined;
}

function roleOf(run: readonly Clue[]): Navigation | undefined {
  const [first] = run;
  const title = first?.kind === 'title' ? titleRole(first.element) : undefined;
  const listed = title ? run.slice(1) : run;
  const led = listed.flatMap((clue) => clue.led);
  const entries = listed.flatMap((clue) => [...clue.led, ...clue.ended]);
  const lines = listed.reduce((sum, clue) => sum + clue.lines, 0);
  if (entries.length < lines * SHARE) return undefined;
  const ascends = areInOrder(entries, (one, other) => one.page <= other.page);
  if (led.length >= ENTRIES) {
    if (title) return title;
    if (ascends) return 'contents';
    const alphabetical = areInOrder(led, (one, other) => initialOf(one).localeCompare(initialOf(other)) <= 0);
    return alphabetical ? 'index' : undefined;
  }
  if (title === 'index') return entries.length >= ENTRIES_BELOW_INDEX ? title : undefined;
  const different = new Set(entries.map(({ page }) => page)).size;
  const isTable = listed.some(({ element }) => element.type === 'table');
  return title && ascends && different >= ENTRIES && !isTable ? title : undefined;
}

function initialOf({ text }: Entry): string {
  return (/[\p{L}\p{N}]/u.exec(text)?.[0] ?? '').toLowerCase();
}

function areInOrder(entries: readonly Entry[], inOrder: (one: Entry, other: Entry) => boolean): boolean {
  const ordered = entries.filter((entry, at) => {
    const before = entries[at - 1];
    return before !== undefined && inOrder(before, entry);
  });
  return ordered.length >= (entries.length - 1) * IN_ORDER;
}
