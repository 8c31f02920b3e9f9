/** What the words of RTF mean. */
import type { ElementRole } from '../document/element.ts';

/** Destinations with text of their own, by their role. */
export const ASIDE: Readonly<Record<string, ElementRole>> = {
  header: 'page_header',
  headerl: 'page_header',
  headerr: 'page_header',
  headerf: 'page_header',
  footer: 'page_footer',
  footerl: 'page_footer',
  footerr: 'page_footer',
  footerf: 'page_footer',
  footnote: 'footnote',
  annotation: 'notes',
};
/** Destinations that are known to have no text for readers, besides all that are marked as such. */
export const SILENT = new Set(
  `colortbl listtable listoverridetable filetbl revtbl rsidtbl generator objdata objclass objname nonshppict stylesheet
  themedata colorschememapping datastore latentstyles xe tc tcn rxe bkmkstart bkmkend atnid atnauthor atndate atnref atnparent
  atrfstart atrfend private nonesttables sp shprslt falt panose fontemb template userprops`.split(/\s+/),
);
/** Destinations that older programs skip, and that have text. */
export const SHOWN = new Set([
  'nesttableprops',
  'shppict',
  'shpinst',
  'do',
  'fldinst',
  'formfield',
  'pntext',
  'annotation',
]);
/** Words that stand for characters. */
export const SIGNS: Readonly<Record<string, string>> = {
  tab: '\t',
  line: '\n',
  softline: '\n',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
  bullet: '•',
  endash: '–',
  emdash: '—',
  emspace: ' ',
  enspace: ' ',
  qmspace: ' ',
  '~': ' ',
  _: '-',
  '\\': '\\',
  '{': '{',
  '}': '}',
};
