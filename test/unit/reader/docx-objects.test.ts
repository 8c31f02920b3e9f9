import assert from 'node:assert/strict';
import { test } from 'node:test';
import { paragraph, readDocx, run, words } from '../../support/docx-parts.ts';

const cell = (content: string, properties = '') => `<w:tc><w:tcPr>${properties}</w:tcPr>${content}</w:tc>`;
const row = (...cells: string[]) => `<w:tr>${cells.join('')}</w:tr>`;
const table = (...rows: string[]) => `<w:tbl><w:tblPr/>${rows.join('')}</w:tbl>`;
const wide = (columns: number) => `<w:gridSpan w:val="${columns}"/>`;

const drawing = (inside: string, alt = '') =>
  paragraph(
    `<w:r><w:drawing><wp:inline><wp:docPr id="1" descr="${alt}"/><a:graphic>${inside}</a:graphic></wp:inline></w:drawing></w:r>`,
  );
const point = (at: number, value: string) => `<c:pt idx="${at}"><c:v>${value}</c:v></c:pt>`;
const series = (name: string, ...values: string[]) =>
  `<c:ser><c:tx><c:strRef><c:strCache>${point(0, name)}</c:strCache></c:strRef></c:tx><c:cat><c:strRef><c:strCache>${point(0, 'Q1')}${point(1, 'Q2')}</c:strCache></c:strRef></c:cat><c:val><c:numRef><c:numCache>${values.map((value, at) => point(at, value)).join('')}</c:numCache></c:numRef></c:val></c:ser>`;
const drawn = (text: string) => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`;
const dated = (day: string) =>
  `<c:chart><c:plotArea><c:ser><c:tx><c:strRef><c:strCache>${point(0, 'Share')}</c:strCache></c:strRef></c:tx><c:cat><c:numRef><c:numCache><c:formatCode>d/m/yyyy</c:formatCode>${point(0, day)}</c:numCache></c:numRef></c:cat><c:val><c:numRef><c:numCache><c:formatCode>0.0%</c:formatCode>${point(0, '0.2561')}</c:numCache></c:numRef></c:val></c:ser></c:plotArea></c:chart>`;
const parts = {
  chart1: `<c:chart><c:title><c:tx><c:rich>${drawn('Sales')}</c:rich></c:tx></c:title><c:plotArea>${series('North', '4.2999999999999998', '2')}${series('South', '1', '')}</c:plotArea></c:chart>`,
  chart2: dated('45292'),
  chart3: `<c:date1904/>${dated('43830')}`,
  chart4: `<c:date1904 val="false"/>${dated('45292')}`,
  data1: `<dgm:ptLst><dgm:pt><dgm:t>${drawn('Plan')}</dgm:t></dgm:pt><dgm:pt/><dgm:pt><dgm:t>${drawn('Build')}</dgm:t></dgm:pt></dgm:ptLst>`,
};

const OBJECTS: [name: string, body: string, elements: string[]][] = [
  [
    'merged cells have their value in each cell they cover',
    table(
      row(cell(words('Year'), '<w:vMerge w:val="restart"/>'), cell(words('Sales'), wide(2))),
      row(cell('<w:p/>', '<w:vMerge/>'), cell(words('north')), cell(words('south'))),
    ),
    ['table: | Year | Sales | Sales |\n| --- | --- | --- |\n| Year | north | south |'],
  ],
  [
    'lines of a cell are words of it',
    table(
      row(cell(words('one') + words('two')), cell(paragraph(`<w:r><w:t>a</w:t><w:br/><w:t>b|c</w:t></w:r>`))),
    ),
    ['table: | one two | a b\\|c |\n| --- | --- |'],
  ],
  [
    'a table in a table follows it',
    table(row(cell(words('outer')), cell(table(row(cell(words('in')), cell(words('ner')))) + words('rest')))),
    ['table: | outer | rest |\n| --- | --- |', 'table: | in | ner |\n| --- | --- |'],
  ],
  [
    'a table of one cell is a frame',
    table(row(cell(words('Note') + paragraph(run('x = 1', '<w:rFonts w:ascii="Consolas"/>'))))),
    ['paragraph: Note', 'code: x = 1'],
  ],
  [
    'rows and cells within controls; deleted rows',
    table(
      `<w:sdt><w:sdtContent>${row(cell(words('a')), `<w:sdt><w:sdtContent>${cell(words('b'))}</w:sdtContent></w:sdt>`)}</w:sdtContent></w:sdt>`,
      `<w:tr><w:trPr><w:del/></w:trPr>${cell(words('gone'))}</w:tr>`,
    ),
    ['table: | a | b |\n| --- | --- |'],
  ],
  [
    'hidden rows',
    table(
      row(cell(words('a')), cell(words('b'))),
      `<w:tr><w:trPr><w:hidden/></w:trPr>${cell(words('no'))}</w:tr>`,
    ),
    ['table: | a | b |\n| --- | --- |'],
  ],
  ['a picture has its alternative text', drawing('<pic:pic/>', 'A pump'), ['figure: A pump']],
  [
    'a chart is a table of its values',
    drawing('<c:chart r:id="chart1"/>'),
    ['figure: Sales', 'table: |  | North | South |\n| --- | --- | --- |\n| Q1 | 4.3 | 1 |\n| Q2 | 2 |  |'],
  ],
  ...['chart2', 'chart3', 'chart4'].map((chart): [string, string, string[]] => [
    `values of a chart are shown by their formats: ${chart}`,
    drawing(`<c:chart r:id="${chart}"/>`),
    ['figure: ', 'table: |  | Share |\n| --- | --- |\n| 2024-01-01 | 25.6% |'],
  ]),
  ['a diagram is a list of its texts', drawing('<dgm:relIds r:dm="data1"/>'), ['list: - Plan\n- Build']],
  [
    'a text box stands once, after its paragraph',
    paragraph(
      `${run('text')}<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><w:txbxContent>${words('box')}</w:txbxContent></w:drawing></mc:Choice><mc:Fallback><w:pict><v:textbox><w:txbxContent>${words('box')}</w:txbxContent></v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r>`,
    ),
    ['paragraph: text', 'paragraph: box'],
  ],
];
for (const [name, body, elements] of OBJECTS)
  test(`objects: ${name}`, async () => {
    assert.deepEqual((await readDocx(body, parts)).flat(), elements);
  });

const r = (text: string) => `<m:r><m:t>${text}</m:t></m:r>`;
const e = (content: string) => `<m:e>${content}</m:e>`;
const FORMULAS: [omml: string, latex: string][] = [
  [`<m:sSup>${e(r('𝑥'))}<m:sup>${r('2')}</m:sup></m:sSup>${r('+α≤β')}`, String.raw`x^{2}+\alpha\leq\beta`],
  [`<m:f><m:num>${r('a')}</m:num><m:den>${r('b')}</m:den></m:f>`, String.raw`\frac{a}{b}`],
  [`<m:f><m:fPr><m:type m:val="lin"/></m:fPr><m:num>${r('a')}</m:num><m:den>${r('b')}</m:den></m:f>`, 'a/b'],
  [`<m:rad><m:radPr/><m:deg>${r('3')}</m:deg>${e(r('x'))}</m:rad>`, String.raw`\sqrt[3]{x}`],
  [
    `<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>${r('i=1')}</m:sub><m:sup>${r('n')}</m:sup>${e(r('i'))}</m:nary>`,
    String.raw`\sum_{i=1}^{n} i`,
  ],
  [
    `<m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val=""/></m:dPr>${e(r('x'))}${e(r('y'))}</m:d>`,
    String.raw`\left[x|y\right.`,
  ],
  [`<m:func><m:fName>${r('sin')}</m:fName>${e(r('x'))}</m:func>`, String.raw`\sin{x}`],
  [`<m:acc><m:accPr><m:chr m:val="\u0303"/></m:accPr>${e(r('x'))}</m:acc>`, String.raw`\tilde{x}`],
  [
    `<m:m><m:mr>${e(r('a'))}${e(r('b'))}</m:mr><m:mr>${e(r('c'))}${e(r('d'))}</m:mr></m:m>`,
    String.raw`\begin{matrix}a & b \\ c & d\end{matrix}`,
  ],
  [`<m:r><m:rPr><m:nor/></m:rPr><m:t>if</m:t></m:r>${r('𝜆n')}`, String.raw`\text{if}\lambda n`],
  [`<m:limLow>${e(r('lim'))}<m:lim>${r('n→∞')}</m:lim></m:limLow>`, String.raw`\lim_{n\to\infty}`],
];
for (const [omml, latex] of FORMULAS)
  test(`formula: ${latex}`, async () => {
    const inline = await readDocx(paragraph(`${run('so ')}<m:oMath>${omml}</m:oMath>`));
    assert.deepEqual(inline, [[`paragraph: so $${latex}$`]]);
    const display = await readDocx(paragraph(`<m:oMathPara><m:oMath>${omml}</m:oMath></m:oMathPara>`));
    assert.deepEqual(display, [[`paragraph: $$${latex}$$`]]);
  });

const HOSTILE: [name: string, body: string, outcome: RegExp][] = [
  ['controls in controls', '<w:sdt><w:sdtContent>'.repeat(5_000), /too_large/],
  ['XML that is not well-formed', '<w:p>', /damaged/],
  ['an entity of its own', '<w:p><w:r><w:t>&own;</w:t></w:r></w:p>', /damaged/],
  [
    'formulas in formulas',
    paragraph(
      `<m:oMath>${'<m:nary><m:sub>'.repeat(200)}${r('x')}${'</m:sub></m:nary>'.repeat(200)}</m:oMath>`,
    ),
    /^paragraph: .*x/,
  ],
  [
    'rows that begin far to the right',
    table(
      ...Array.from(
        { length: 9_000 },
        () => `<w:tr><w:trPr><w:gridBefore w:val="999999"/></w:trPr>${cell(words('a'))}</w:tr>`,
      ),
    ),
    /too_large/,
  ],
  [
    'one note that is mentioned often',
    paragraph('<w:r><w:footnoteReference w:id="1"/></w:r>'.repeat(9)),
    /^paragraph: (?:\[1\]){9}$/,
  ],
];
for (const [name, body, outcome] of HOSTILE)
  test(`hostile: ${name}`, async () => {
    const read = await readDocx(body).then(
      (pages) => pages.flat().join('\n'),
      ({ reason }: { reason: string }) => reason,
    );
    assert.match(read, outcome);
  });
