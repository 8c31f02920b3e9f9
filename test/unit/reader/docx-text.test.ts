import assert from 'node:assert/strict';
import { test } from 'node:test';
import { paragraph, readDocx, run, words } from '../../support/docx-parts.ts';

const field = (type: string, inside = '') =>
  `<w:r><w:fldChar w:fldCharType="${type}">${inside}</w:fldChar></w:r>`;
const instruction = (text: string) => `<w:r><w:instrText>${text}</w:instrText></w:r>`;
const bits = (...content: string[]) => `<w:r>${content.join('')}</w:r>`;

const TEXTS: [name: string, content: string, text: string][] = [
  ['runs', run('Pumps &amp; ') + run('K&#246;hler &#x2014; 471100'), 'Pumps & Köhler — 471100'],
  [
    'tabs, breaks and hyphens',
    bits(
      '<w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:noBreakHyphen/><w:t>d</w:t><w:softHyphen/><w:t>e\u00ADf</w:t>',
    ),
    'a\tb\nc-def',
  ],
  [
    'the results of fields',
    `${run('Page ')}${field('begin')}${instruction(' PAGE ')}${field('separate')}${run('7')}${field('end')}`,
    'Page 7',
  ],
  [
    'a field in a field',
    `${field('begin')}${instruction('IF ')}${field('begin')}${instruction('X')}${field('separate')}${run('no')}${field('end')}${field('separate')}${run('yes')}${field('end')}`,
    'yes',
  ],
  ['a simple field', `<w:fldSimple w:instr="SEQ Figure">${run('3')}</w:fldSimple>`, '3'],
  [
    'a field that never ends',
    `${field('begin')}${instruction('X')}${field('separate')}${run('shown')}`,
    'shown',
  ],
  [
    'changes as accepted',
    `<w:ins>${run('new')}</w:ins><w:del><w:r><w:delText>old</w:delText></w:r></w:del><w:moveFrom>${run('from')}</w:moveFrom><w:moveTo>${run(' to')}</w:moveTo>`,
    'new to',
  ],
  [
    'links and controls',
    `<w:hyperlink>${run('link')}</w:hyperlink><w:sdt><w:sdtPr/><w:sdtContent>${run(' control')}</w:sdtContent></w:sdt>`,
    'link control',
  ],
  [
    'check boxes of controls',
    ['1', '0']
      .map(
        (on) =>
          `<w:sdt><w:sdtPr><w14:checkbox><w14:checked w14:val="${on}"/></w14:checkbox></w:sdtPr><w:sdtContent>${run('?')}</w:sdtContent></w:sdt>`,
      )
      .join(''),
    '☒☐',
  ],
  [
    'form fields',
    [
      '<w:checkBox><w:default w:val="0"/><w:checked/></w:checkBox>',
      '<w:checkBox><w:default w:val="0"/></w:checkBox>',
      '<w:ddList><w:result w:val="1"/><w:listEntry w:val="red"/><w:listEntry w:val="green"/></w:ddList>',
    ]
      .map((data) => field('begin', `<w:ffData>${data}</w:ffData>`) + field('separate') + field('end'))
      .join(' '),
    '☒☐green',
  ],
  ['symbols', bits('<w:sym w:font="Symbol" w:char="F061"/><w:sym w:font="Wingdings" w:char="F0A8"/>'), 'α☐'],
  ['symbols as text', run('\uF0B0', '<w:rFonts w:ascii="Symbol" w:hAnsi="Symbol"/>'), '°'],
  ['hidden text is not shown', run('seen') + run('hidden', '<w:vanish/>'), 'seen'],
  [
    'ruby',
    bits(`<w:ruby><w:rubyPr/><w:rt>${run('とう')}</w:rt><w:rubyBase>${run('東')}</w:rubyBase></w:ruby>`),
    '東(とう)',
  ],
  [
    'one of the alternatives',
    bits(
      '<mc:AlternateContent><mc:Choice Requires="x"><w:t>new</w:t></mc:Choice><mc:Fallback><w:t>old</w:t></mc:Fallback></mc:AlternateContent>',
    ),
    'new',
  ],
];
for (const [name, content, text] of TEXTS)
  test(`text of a paragraph: ${name}`, async () => {
    assert.deepEqual(await readDocx(paragraph(content)), [[`paragraph: ${text}`]]);
  });

test('a paragraph whose end was deleted continues in the next', async () => {
  const deleted = '<w:rPr><w:del/></w:rPr>';
  assert.deepEqual(await readDocx(words('one ', deleted) + words('line')), [['paragraph: one line']]);
});

test('the names of namespaces decide, not their prefixes', async () => {
  const other = words('strict')
    .replaceAll('w:', 'x:')
    .replace('<x:p>', '<x:p xmlns:x="http://purl.oclc.org/ooxml/wordprocessingml/main">');
  assert.deepEqual(await readDocx(other.replaceAll(' xml:space', ' xml:space')), [['paragraph: strict']]);
});

test('notes stand below the page that mentions them', async () => {
  const body =
    paragraph(
      `${run('text')}<w:r><w:footnoteReference w:id="2"/></w:r>${run(' and')}<w:r><w:endnoteReference w:id="2"/></w:r>`,
    ) +
    paragraph('<w:r><w:br w:type="page"/></w:r>') +
    words('next');
  const note = (text: string) =>
    `<w:footnote w:id="2">${paragraph(`<w:r><w:footnoteRef/></w:r>${run(text)}`)}</w:footnote>`;
  const parts = { footnotes: note(' below'), endnotes: note('at the end') };
  assert.deepEqual(await readDocx(body, parts), [
    ['paragraph: text[1] and[2]', 'footnote: [1] below', 'footnote: [2] at the end'],
    ['paragraph: next'],
  ]);
});

test('sections begin pages and have headers and footers of their own, each line once', async () => {
  const section = (type: string, header: string, first = '') =>
    `<w:sectPr><w:headerReference w:type="default" r:id="${header}"/><w:headerReference w:type="first" r:id="first"/><w:footerReference w:type="default" r:id="footer"/><w:type w:val="${type}"/>${first}</w:sectPr>`;
  const body =
    words('one', section('nextPage', 'header1')) +
    words('two', section('nextPage', 'header2')) +
    words('three') +
    section('continuous', 'header2', '<w:titlePg/>');
  const parts = {
    header1: words('Pumps'),
    header2: words('Pumps') + words('Prices'),
    first: words('Title'),
    footer: words('Page 1'),
  };
  assert.deepEqual(await readDocx(body, parts), [
    ['page_header: Pumps', 'paragraph: one', 'page_footer: Page 1'],
    ['page_header: Prices', 'paragraph: two', 'page_header: Title', 'paragraph: three'],
  ]);
});
