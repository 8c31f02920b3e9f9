import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extractLocally as extract } from '../../../engines/local-extraction/extract-locally.ts';
import { shapedValues } from '../../../engines/local-extraction/shaped-values.ts';
import { jsonSchemaCheck } from '../../../engines/text-work/answer-check.ts';
import type { PageElement } from 'darkroom-reader/document';
import type { JsonSchema } from '../../../domain/structured-extraction/json-schema.ts';
import type { ReadPage } from '../../../domain/structured-extraction/read-page.ts';
import { textElements } from '../../../packages/reader/src/text/text-elements.ts';
import { listElement, tableElement as table, textElement as element } from '../../support/elements.ts';

const extractLocally = (pages: ReadPage[], schema: JsonSchema) =>
  extract(pages, schema, (value, part) => 'value' in jsonSchemaCheck({ ...part })(value));
const heading = (content: string) => element('heading', content, { level: 1 });
const text = (content: string) => element('paragraph', content);
const pair = (key: string, value: string): PageElement => ({
  type: 'key_value',
  key,
  value,
  box: { x: 0, y: 0, w: 1, h: 1 },
});
const page = (...elements: PageElement[]): ReadPage[] => [{ pageNumber: 1, elements }];
const object = (properties: Record<string, JsonSchema>, more: Partial<JsonSchema> = {}): JsonSchema => ({
  type: 'object',
  properties,
  ...more,
});
const STRING: JsonSchema = { type: 'string' };
const NUMBER: JsonSchema = { type: 'number' };
const DATE: JsonSchema = { type: 'string', format: 'date' };

const INVOICE = page(
  heading('INVOICE'),
  pair('Invoice No.', 'INV-2026-17'),
  pair('Date', '21 November 2026'),
  pair('Due date', '05.12.2026'),
  text('Bill to: Ada Lovelace'),
  table(
    ['Description', 'Qty', 'Unit price', 'Amount'],
    ['Widgets', '3', '4.00', '12.00'],
    ['Long bolts', '10', '0.50', '5.00'],
    ['', '', 'Subtotal', '17.00'],
    ['', '', 'Total', '$20.23'],
  ),
  text('Paid: yes'),
);

test('extracts pairs, tables and totals of an invoice', () => {
  const schema = object({
    invoice_number: STRING,
    invoice_date: DATE,
    dueDate: DATE,
    bill_to: STRING,
    total_amount: NUMBER,
    subtotal: NUMBER,
    paid: { type: 'boolean' },
    line_items: {
      type: 'array',
      items: object({
        description: STRING,
        quantity: { type: 'integer' },
        unit_price: NUMBER,
        amount: NUMBER,
      }),
    },
    vat_id: STRING,
  });
  assert.deepEqual(extractLocally(INVOICE, schema), {
    invoice_number: 'INV-2026-17',
    invoice_date: '2026-11-21',
    dueDate: '2026-12-05',
    bill_to: 'Ada Lovelace',
    total_amount: 20.23,
    subtotal: 17,
    paid: true,
    line_items: [
      { description: 'Widgets', quantity: 3, unit_price: 4, amount: 12 },
      { description: 'Long bolts', quantity: 10, unit_price: 0.5, amount: 5 },
    ],
  });
});

test('extracts a receipt line by line', () => {
  const receipt = page(
    text('CORNER SHOP'),
    text('Bread 2.40\nMilk .... 1.10\nSubtotal 3.50\nTax (8 %) 0.28\nTOTAL  $3.78\nCash 5.00\nChange 1.22'),
    text('Date: 11/21/2026 14:05'),
  );
  const schema = object({ subtotal: NUMBER, tax: NUMBER, total: NUMBER, change: NUMBER, date: DATE });
  assert.deepEqual(extractLocally(receipt, schema), {
    subtotal: 3.5,
    tax: 0.28,
    total: 3.78,
    change: 1.22,
    date: '2026-11-21',
  });
  const described = object({ vat: { type: 'number', title: 'Tax (8 %)' } });
  assert.deepEqual(extractLocally(receipt, described), { vat: 0.28 });
});

test('no value is invented', () => {
  const cases: [string, ReadPage[], JsonSchema][] = [
    ['another label', page(pair('Subtotal', '12')), object({ total: NUMBER })],
    ['part of a label', page(pair('Due date', '2026-01-01')), object({ invoice_date: DATE })],
    ['an ambiguous label', page(pair('Date', '2026-01-01')), object({ due_date: DATE })],
    ['two values', page(pair('Total', '12'), pair('Total', '13')), object({ total: NUMBER })],
    ['no number', page(pair('Total', 'see below')), object({ total: NUMBER })],
    ['an ambiguous date', page(pair('Date', '03/04/2026')), object({ date: DATE })],
    ['no choice', page(pair('Status', 'open')), object({ status: { type: 'string', enum: ['paid'] } })],
    ['a fractional number', page(pair('Count', '1.5')), object({ count: { type: 'integer' } })],
    ['a rule', page(pair('Code', 'XY')), object({ code: { type: 'string', pattern: '^\\d+$' } })],
    ['a name of an unknown person', page(pair('Name', 'Ada')), object({ vendor: object({ name: STRING }) })],
    [
      'a part of an object',
      page(pair('Vendor name', 'Ada')),
      object({ vendor: object({ name: STRING, city: STRING }, { required: ['city'] }) }),
    ],
    ['a sentence', page(text('The total of all these things is 12')), object({ total: NUMBER })],
    ['nothing', page(), object({ total: NUMBER })],
  ];
  for (const [name, pages, schema] of cases) assert.deepEqual(extractLocally(pages, schema), {}, name);
});

test('the heading above a label decides which object it belongs to', () => {
  const pages = page(
    heading('Contract'),
    heading('Vendor'),
    pair('Name', 'Ada'),
    heading('Customer'),
    pair('Name', 'Grace'),
    pair('Customer city', 'Arlington'),
  );
  const party = object({ name: STRING, city: STRING });
  assert.deepEqual(extractLocally(pages, object({ vendor: party, customer: party })), {
    vendor: { name: 'Ada' },
    customer: { name: 'Grace', city: 'Arlington' },
  });
});

test('extracts lists of plain values', () => {
  const pages = page(
    heading('Ingredients'),
    listElement('flour', 'water', 'salt'),
    pair('Colours', 'red, green; blue'),
    table(['Reading', 'Value'], ['a', '1.5'], ['b', '2']),
  );
  const schema = object({
    ingredients: { type: 'array', items: STRING },
    colors: { type: 'array', title: 'Colours', items: { type: 'string', enum: ['Red', 'Blue'] } },
    reading: { type: 'array', items: STRING },
    missing: { type: 'array', items: STRING },
  });
  assert.deepEqual(extractLocally(pages, schema), {
    ingredients: ['flour', 'water', 'salt'],
    colors: ['Red', 'Blue'],
    reading: ['a', 'b'],
  });
});

test('a table continued on the next page is a single table, and of two similar tables neither is read', () => {
  const schema = object({ rows: { type: 'array', items: object({ item: STRING, price: NUMBER }) } });
  const [first, second] = [table(['Item', 'Price'], ['a', '1']), table(['Item', 'Price'], ['b', '2'])];
  const both = [
    { pageNumber: 1, elements: [first] },
    { pageNumber: 2, elements: [second] },
  ];
  assert.deepEqual(extractLocally(both, schema), {
    rows: [
      { item: 'a', price: 1 },
      { item: 'b', price: 2 },
    ],
  });
  const other = table(['Item', 'Kind', 'Price'], ['c', 'x', '3']);
  assert.deepEqual(extractLocally(page(first, other), schema), {});
});

test('anyOf takes the first branch that the text matches', () => {
  const schema = object({
    total: { anyOf: [NUMBER, STRING] },
    code: { anyOf: [{ type: 'boolean' }, STRING] },
  });
  assert.deepEqual(extractLocally(page(pair('Total', '12.5'), pair('Code', 'XY')), schema), {
    total: 12.5,
    code: 'XY',
  });
});

test('extracts values by their labels in five languages, within, beside and below their cells', () => {
  const cases: [string, ReadPage[], Record<string, JsonSchema>, Record<string, unknown>][] = [
    [
      'a stack of labels',
      page(table(['Invoice Number: Invoice Date:', '42183017 August 3 , 2014'])),
      { invoice_number: STRING, invoice_date: DATE },
      { invoice_number: '42183017', invoice_date: '2014-08-03' },
    ],
    [
      'French, after a label',
      page(text('Facture n°562044387 du 02 Juillet 2015'), text('Somme à payer : 1 234,56 € TTC')),
      { invoice_number: STRING, invoice_date: DATE, total: NUMBER, currency: STRING },
      { invoice_number: '562044387', invoice_date: '2015-07-02', total: 1234.56, currency: 'EUR' },
    ],
    [
      'German, below a header',
      page(table(['Rechnungs-Nr.', 'Rechnungsdatum'], ['R-17', '12. März 2024'])),
      { invoice_number: STRING, invoice_date: DATE },
      { invoice_number: 'R-17', invoice_date: '2024-03-12' },
    ],
    [
      'Spanish',
      page(text('Factura nº: F-9'), text('Base imponible: 1.000,00 €'), text('Total a pagar 1.210,00 €')),
      { invoice_number: STRING, subtotal: NUMBER, total: NUMBER },
      { invoice_number: 'F-9', subtotal: 1000, total: 1210 },
    ],
    [
      'Arabic',
      page(text('رقم الفاتورة: 1207'), text('تاريخ الفاتورة: ٣ مايو ٢٠٢٤')),
      { invoice_number: STRING, invoice_date: DATE },
      { invoice_number: '1207', invoice_date: '2024-05-03' },
    ],
    [
      'an order of dates that another date shows',
      page(text('Invoice date: 03/04/24'), text('Due date: 21/04/24')),
      { invoice_date: DATE, due_date: DATE },
      { invoice_date: '2024-04-03', due_date: '2024-04-21' },
    ],
    [
      'an account number without a label',
      page(text('Pay to DE89 3704 0044 0532 0130 00 soon')),
      { iban: STRING },
      { iban: 'DE89370400440532013000' },
    ],
    ['a label as a value', page(text('Invoice Number: Invoice Date:')), { invoice_number: STRING }, {}],
    ['several columns', page(text('Total facture 24.99 29.99')), { total: NUMBER }, {}],
    ['two currencies', page(text('10 € or 12 $')), { currency: STRING }, {}],
  ];
  for (const [name, pages, properties, expected] of cases) {
    assert.deepEqual(extractLocally(pages, object(properties)), expected, name);
  }
});

const box = { x: 0, y: 0, w: 1, h: 1 };
const written = (content: string): ReadPage[] =>
  page(...textElements(content).map((each): PageElement => ({ ...each, box })));

test('a label with the name of a property goes before others that mean it', () => {
  const found = extractLocally(
    written(
      'Subtotal: 100.00\nTotal tax: 25.00\nTotal discount: 5.00\nTotal: 120.00\nAmount due: 70.00\nAmount paid: 50.00\n',
    ),
    object({
      total: NUMBER,
      tax: NUMBER,
      subtotal: NUMBER,
      discount: NUMBER,
      amount_due: NUMBER,
      amount_paid: NUMBER,
    }),
  );
  assert.deepEqual(found, {
    total: 120,
    tax: 25,
    subtotal: 100,
    discount: 5,
    amount_due: 70,
    amount_paid: 50,
  });
  for (const [content, name, schema, value] of [
    ['Total: 120.00\nAmount due: 70.00', 'total', NUMBER, 120],
    ['Total: 100.00\nGrand total: 119.00', 'total', NUMBER, 119],
    ['Amount due: 70.00', 'total', NUMBER, 70],
    ['Gesamtbetrag: 119,00\nzu zahlender Betrag: 69,00', 'amount_due', NUMBER, 69],
    ['Total TTC : 1 200,00 €\nNet à payer : 900,00 €', 'amount_due', NUMBER, 900],
    ['Total: 500.00\nDeposit received: 200.00', 'amount_due', NUMBER, undefined],
    ['Umsatz: 1.499,50 EUR am 03.05.24 um 14.30, siehe 1.2\nMitarbeiter: 1.200', 'mitarbeiter', NUMBER, 1200],
    ['See pages 12,13\nWeight: 1.234 kg', 'weight', NUMBER, 1.234],
    ['Prix : 12,50 €\nLength: 2.5 m\nWeight: 1.234 kg', 'weight', NUMBER, 1.234],
    ['Price: EUR 1,250\nRabatt: 2,5 %\nWeight: 1.234 kg', 'weight', NUMBER, 1.234],
    ['合計金額:12,000円', '合計金額', NUMBER, 12_000],
    ['支払期限:2026年3月1日', '支払期限', DATE, '2026-03-01'],
    ['Total: 120.00\nTotal amount: 90.00', 'total_amount', NUMBER, 90],
    ['Net amount: 90.00\nSubtotal: 100.00', 'net_amount', NUMBER, 90],
    ['Rechnungsdatum: 2026-01-02\nDatum: 2026-03-04', 'datum', DATE, '2026-03-04'],
    ['Receipt number: R-1\nInvoice number: I-2', 'invoice_number', STRING, 'I-2'],
    ['Pay by: 2026-03-01\nDue date: 2026-02-01', 'due_date', DATE, '2026-02-01'],
  ] as const)
    assert.equal(extractLocally(written(content), object({ [name]: schema }))[name], value, content);
});

test('a label that is the name of another property is not taken for this one', () => {
  const content = written('Amount due: 70.00\nGrand total: 120.00');
  assert.deepEqual(extractLocally(content, object({ total: NUMBER, grand_total: NUMBER })), {
    total: 70,
    grand_total: 120,
  });
});

test('scale words after amounts count', () => {
  const content = written(
    'Revenue: EUR 1.5 million\nProfit: $2.3M\nHeadcount: 1.2k\nMargin: 12,5%\nAssets: 3 Mio. €\nTotal: 2.5 Mrd. €\nTax: 4 m€\nLoss: (1.2) million\n',
  );
  const fields = ['revenue', 'profit', 'headcount', 'margin', 'assets', 'total', 'tax', 'loss'];
  assert.deepEqual(
    extractLocally(content, object(Object.fromEntries(fields.map((name) => [name, NUMBER])))),
    {
      revenue: 1_500_000,
      profit: 2_300_000,
      headcount: 1_200,
      margin: 12.5,
      assets: 3_000_000,
      total: 2_500_000_000,
      tax: 4_000_000,
      loss: -1_200_000,
    },
  );
});

const POLICY = object({
  policy_number: STRING,
  insured_person: STRING,
  sum_insured: NUMBER,
  start_of_cover: DATE,
});
const COVER = {
  policy_number: 'AB-778-X',
  insured_person: 'Northwind Ltd',
  sum_insured: 50_000,
  start_of_cover: '2026-01-01',
};
const place = (content: string, x: number, y: number): PageElement => ({
  type: 'paragraph',
  content,
  box: { x, y, w: 0.3, h: 0.02 },
});
const FORMS: readonly [how: string, pages: ReadPage[]][] = [
  [
    'in paragraphs',
    written(
      'Policy number\nAB-778-X\n\nInsured person\nNorthwind Ltd\n\nSum insured\nEUR 50,000.00\n\nStart of cover\n1 January 2026\n',
    ),
  ],
  [
    'in two columns of a text',
    written(
      'Policy number        Insured person\nAB-778-X             Northwind Ltd\n\nSum insured          Start of cover\nEUR 50,000.00        1 January 2026\n',
    ),
  ],
  [
    'with colons, apart',
    written(
      'Policy number:\n\nAB-778-X\n\nInsured person:\n\nNorthwind Ltd\n\nSum insured:\n\nEUR 50,000.00\n\nStart of cover:\n\n1 January 2026\n',
    ),
  ],
  [
    'in two columns of a page',
    page(
      place('Policy number', 0.1, 0.1),
      place('Insured person', 0.5, 0.1),
      place('AB-778-X', 0.1, 0.13),
      place('Northwind Ltd', 0.5, 0.13),
      place('Sum insured', 0.1, 0.2),
      place('Start of cover', 0.5, 0.2),
      place('EUR 50,000.00', 0.1, 0.23),
      place('1 January 2026', 0.5, 0.23),
    ),
  ],
  [
    'in the rows of a table',
    page(
      table(
        ['Policy number', 'Insured person'],
        ['AB-778-X', 'Northwind Ltd'],
        ['Sum insured', 'Start of cover'],
        ['EUR 50,000.00', '1 January 2026'],
      ),
    ),
  ],
  [
    'in headings',
    page(
      heading('Policy number'),
      text('AB-778-X'),
      heading('Insured person'),
      text('Northwind Ltd'),
      heading('Sum insured'),
      text('EUR 50,000.00'),
      heading('Start of cover'),
      text('1 January 2026'),
    ),
  ],
];
for (const [how, pages] of FORMS)
  test(`labels above their values are found ${how}`, () => {
    assert.deepEqual(extractLocally(pages, POLICY), COVER);
  });

test('the next label is no value of the one above it, and a value beside a label counts first', () => {
  assert.deepEqual(extractLocally(written('Policy number\nInsured person\nNorthwind Ltd\n'), POLICY), {
    insured_person: 'Northwind Ltd',
  });
  assert.deepEqual(
    extractLocally(
      written('Policy number: AB-1\n\nPolicy number\nAB-778-X\n'),
      object({ policy_number: STRING }),
    ),
    { policy_number: 'AB-1' },
  );
});

test('values after dots and units; lines that nobody filled in have none', () => {
  const form = [
    'Insured person ........ Ann Lee',
    'City: ______ Bergen',
    'Sum insured (EUR): 50,000.00',
    'Revenue (EUR million): 12.5',
    'Name: ________',
    'Street: ......',
  ].join('\n');
  const wanted = object({
    insured_person: STRING,
    city: STRING,
    sum_insured: NUMBER,
    revenue: NUMBER,
    name: STRING,
    street: STRING,
  });
  assert.deepEqual(extractLocally(page(text(form)), wanted), {
    insured_person: 'Ann Lee',
    city: 'Bergen',
    sum_insured: 50_000,
  });
});

test('a unit may be part of the name of a property, and other words in brackets are none', () => {
  const prices = written('Price (EUR): 12.5\nPrice (USD): 13');
  assert.deepEqual(extractLocally(prices, object({ price_eur: NUMBER })), { price_eur: 12.5 });
  assert.deepEqual(extractLocally(prices, object({ price: NUMBER })), {});
  const sizes = page(table(['Item', 'Weight (kg)', 'Length (cm)'], ['Bolt', '2', '30']));
  for (const [weight, length] of [
    ['weight_kg', 'length_cm'],
    ['weight', 'length'],
  ] as const) {
    const items = object({ item: STRING, [weight]: NUMBER, [length]: NUMBER });
    assert.deepEqual(extractLocally(sizes, object({ items: { type: 'array', items } })), {
      items: [{ item: 'Bolt', [weight]: 2, [length]: 30 }],
    });
  }
  for (const [label, name] of [
    ['Sum (net)', 'sum'],
    ['Height (max)', 'height'],
    ['Height (min)', 'height'],
    ['Name (last)', 'name'],
    ['Date (due)', 'date'],
    ['Phone (home)', 'phone'],
  ] as const)
    assert.deepEqual(extractLocally(page(pair(label, '12')), object({ [name]: STRING })), {}, label);
});

test('contents have no values, wherever they lead, and sums have', () => {
  const lines = [
    'Introduction ........ 1',
    'Scope ........ see annex B',
    'Price ........ 12',
    'Term ........ 15',
  ];
  const more = ['Parties ........ 17', 'Liability ........ 20', 'Annex ........ 22'];
  const wanted = object({ scope: STRING, price: NUMBER, term: STRING });
  const contents = [...lines, ...more].join('\n');
  const clauses = 'Price: 99.00\nTerm: two years\n';
  assert.deepEqual(extractLocally(written(`Contents\n\n${contents}\n\n${clauses}`), wanted), {
    price: 99,
    term: 'two years',
  });
  const [only] = written(`Contents\n\n${contents}\n`);
  const scan = [...lines, ...more].map((line, at) => ({ text: line, box: { ...box, y: at / 20, h: 0.04 } }));
  assert.deepEqual(
    extractLocally([{ pageNumber: 1, elements: only?.elements ?? [], lines: scan }], wanted),
    {},
  );
  // What contents list may be the text of another page.
  const later = { pageNumber: 2, elements: [], lines: [{ text: 'Price ........ 12', box }] };
  assert.deepEqual(extractLocally([...written(`Contents\n\n${contents}\n`), later], wanted), { price: 12 });
  // A line that leads elsewhere is none by itself, and dots before prices are those of a receipt.
  assert.deepEqual(extractLocally(written('Scope ........ siehe Anhang B\n'), wanted), {});
  const receipt =
    'Bread ........ 2.40\nMilk ........ 1.10\nOil ........ 7.90\nTea ........ 3.20\nPrice ........ 14.60\n';
  assert.deepEqual(extractLocally(written(receipt), wanted), { price: 14.6 });
  const costs = ['Subtotal', 'Shipping', 'Tax', 'Fees', 'Total'];
  for (const order of [costs, costs.toSorted()]) {
    const lines = order.map((label, at) => `${label} ........ ${100 + 10 * at}`);
    const values = order.map((label, at) => [label.toLowerCase(), 100 + 10 * at] as const);
    const sums = object(Object.fromEntries(values.map(([name]) => [name, NUMBER])));
    for (const title of ['', 'Price index\n\n'])
      assert.deepEqual(
        extractLocally(written(`${title}${lines.join('\n')}\n`), sums),
        Object.fromEntries(values),
      );
  }
  const form = 'Name ........ See Wei Ming\nScope ........ vedi allegato B\nTerm ........ zie bijlage\n';
  assert.deepEqual(extractLocally(written(form), object({ name: STRING, scope: STRING, term: STRING })), {
    name: 'See Wei Ming',
  });
});

test('an amount that is credit or debit is no number, since its sign is not known, but a text', () => {
  const statement = written(
    'Balance 45.00 CR\nTotal: 12.00 DR\nAmount due $45.00CR\nDeposit: CR 7.00\nRefund 8.00 c.r.\nCredits: 30 CR\nFee 3.00\n',
  );
  const names = ['balance', 'total', 'amount_due', 'deposit', 'refund', 'credits', 'fee'];
  const all = (schema: JsonSchema) => object(Object.fromEntries(names.map((name) => [name, schema])));
  assert.deepEqual(extractLocally(statement, all(NUMBER)), { credits: 30, fee: 3 });
  const { balance, amount_due: due, refund } = extractLocally(statement, all(STRING));
  assert.deepEqual([balance, due, refund], ['45.00 CR', '$45.00CR', '8.00 c.r.']);
});

test('columns and three dots make no label, and a value keeps its own dots, dashes and strokes', () => {
  const cases: [content: string, name: string, value: string | undefined][] = [
    ['Name\tCity\tPhone\nAnn\tParis\t123', 'name', undefined],
    ['Employee\tDepartment\nAnn Lee\tSales', 'employee', undefined],
    ['Note... see the back page', 'note', undefined],
    ['Title: To be continued...', 'title', 'To be continued...'],
    ['Name: ___main', 'name', '___main'],
    ['Path: ../..', 'path', '../..'],
    ['Path: /', 'path', '/'],
    ['Date: __/__/____', 'date', undefined],
  ];
  for (const [content, name, value] of cases)
    assert.equal(extractLocally(page(text(content)), object({ [name]: STRING }))[name], value, content);
  const cell = page(table(['Code', '......A'], ['Plan', '....']));
  assert.deepEqual(extractLocally(cell, object({ code: STRING, plan: STRING })), { code: '......A' });
});

test('a dash behind an amount is part of it with a currency, or at the end of the text', () => {
  const cases: [content: string, found: string[]][] = [
    ['in 2024,– and', ['2024']],
    ['3.- 4', ['3', '4']],
    ['page 12,- 1,12,345', ['12']],
    ['EUR 1.200,- and 5,- €', ['EUR 1.200,-', '5,- €']],
    ['Total 5,-', ['5,-']],
  ];
  for (const [content, found] of cases)
    assert.deepEqual(
      shapedValues(content, 'amount').map((each) => each.text),
      found,
      content,
    );
});
