import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { findByWords } from '../../../services/documents/find-by-words.ts';
import { listFiles } from '../../../services/files/list-files.ts';
import { createClient, eventually, sharedRun, type Json } from '../../support/api.ts';

const client = createClient(sharedRun());
const orm = createOrm(readConfig([databaseConfig], process.env));
after(() => orm.close(true));

/** Texts with words next to non-ASCII punctuation, and the queries for these words. */
const TEXTS: Record<string, { text: string; words: string[]; asked: string[] }> = {
  en: {
    text: 'The “lighthouse” was closed in winter—before the storm… and the keeper’s daughter left “for good”.',
    words: ['lighthouse', 'winter', 'storm', 'keeper', 'good'],
    asked: ['“lighthouse”', '‘winter’', 'storm…', 'the keeper’s'],
  },
  de: {
    text: 'Im Dorf nennt man den Turm „Wetterhahn“, und die Leute sagen »Eichhörnchen« zu ihm – oder ‚Zwerg‘.',
    words: ['Wetterhahn', 'Eichhörnchen', 'Zwerg'],
    asked: ['„Wetterhahn“', '»Eichhörnchen«', '‚Zwerg‘'],
  },
  fr: {
    text: 'On l’appelle « Belvédère » ; il est fermé jusqu’à l’automne, « sauf » le dimanche : voilà !',
    words: ['Belvédère', 'appelle', 'automne', 'sauf', 'voilà'],
    asked: ['«Belvédère»', 'l’automne', '« sauf »'],
  },
  es: {
    text: 'La gente pregunta: ¿Dónde queda el «campanario»? ¡Cuidado! El molino está detrás de la plaza.',
    words: ['Dónde', 'campanario', 'Cuidado', 'molino'],
    asked: ['¿Dónde?', '«campanario»', '¡Cuidado!'],
  },
  ar: {
    text: 'أين تقع مكتبة النهضة؟ تقع المكتبة في شارع البحيرة، وهي مفتوحة؛ يسمونها «المنارة» منذ زمن بعيد.',
    words: ['النهضة', 'البحيرة', 'مفتوحة', 'المنارة'],
    asked: ['النهضة؟', 'البحيرة،', '«المنارة»', 'مَكْتَبَة', 'النهضـــة'],
  },
};

async function isListed(tenantId: string, id: string, search: string): Promise<boolean> {
  const { files } = await listFiles(orm.em.fork(), tenantId, {
    filter: { deleted: false, ids: [id] },
    search,
    searchMode: 'visible_text',
    sortOrder: 'desc',
    limit: 5,
    offset: 0,
    searchTimeoutMs: 10_000,
  });
  return files.length > 0;
}

test('words next to quotation marks and other punctuation are found in chunks and in lists', async () => {
  const ids = new Map<string, string>();
  for (const [language, { text }] of Object.entries(TEXTS)) {
    const bytes = Buffer.from(`${text}\n\n${randomUUID()}\n`);
    ids.set(language, await client.ingest({ bytes, filename: `${language}.txt` }));
  }
  const missed: string[] = [];
  for (const [language, { words, asked }] of Object.entries(TEXTS)) {
    const id = ids.get(language) ?? '';
    await client.settled(id);
    const em = orm.em.fork();
    const { tenantId } = await em.findOneOrFail(StoredFile, { id });
    for (const query of [...words, ...asked]) {
      const chunks = await findByWords(em, tenantId, { query, documentIds: [id] }, 5);
      if (chunks.hits.length === 0) missed.push(`${language}: ${query} in chunks`);
      if (!(await isListed(tenantId, id, query))) missed.push(`${language}: ${query} in lists`);
    }
  }
  assert.deepEqual(missed, []);
});

/** What a text has, and how people type it. */
const WRITTEN: readonly [text: string, asked: string[]][] = [
  [
    'Mr Nuñez met Ms Łódzka and Mr Sørensen in São Paulo.',
    ['Nunez', 'nuñez', 'Lodzka', 'Sorensen', 'Sao Paulo', 'SÃO'],
  ],
  ['Señora Nuñez firmó el contrato de compra con la empresa de su hermano en la ciudad.', ['Nunez', 'firmo']],
  [
    'Die Straße nach Köln ist wegen der Bauarbeiten an den Gleisen für zwei Wochen gesperrt.',
    ['Strasse', 'koln', 'KÖLN'],
  ],
  ['Η σύμβαση υπογράφηκε στην Αθήνα τον Σεπτέμβριο.', ['Αθηνα', 'συμβαση']],
  ['Самолёт летит в Орёл.', ['самолет', 'Орел']],
  ['Nguyễn Văn Trỗi lives in Đà Nẵng.', ['Nguyen', 'Da Nang']],
  [
    'The total is 1,234.50 EUR and the deposit 2,500.00 EUR of 12,345,678 in all.',
    ['1234.50', '1.234,50', "1'234.50", '2500', '12345678', '12.345.678'],
  ],
  [
    'Der Betrag von 1.234,50 € und die Anzahlung von 2\u00A0500 € sowie 98\u202F765\u202F432 sind bezahlt.',
    ['1234.50', '1234,50', '1,234.50', '2500', '2,500', '98765432'],
  ],
  ['The cable has 10 kV insulation, 3.5 mm plugs, and works at 25 °C.', ['10kV', '10 kV', '3.5mm', '25°C']],
  ['Kabel mit 20kV, 4.5mm und 30°C auf 25m².', ['20 kV', '4.5 mm', '30 °C', '25 m2', '25m2']],
  ['東京都の予算は来年度に増えます。ﾎﾟﾝﾌﾟの修理。', ['予算', '来年度', 'ポンプ']],
  ['供应商应当在五月十五日之前交付货物。违约金为合同总价的百分之五。', ['违约金', '合同总价']],
  ['보증기간은 납품일로부터 이십사 개월입니다.', ['보증기간', '납품일']],
  ['สัญญาลงนามในเดือนกันยายน', ['กันยายน', 'สัญญา']],
  ['The ﬁle № ４７１１ of Ⅳ', ['file', '4711', 'IV']],
  ['שָׁלוֹם עולם', ['שלום']],
  ['كتب أحمد رسالة إلى إدارة المكتبة', ['احمد', 'ادارة']],
  ['O’Brien wrote to l’élève of E-4711.', ["O'Brien", 'eleve', '4711']],
  ['المبلغ ١٢٣٤٫٥٠ دينار، وقع المسؤول في مستشفى الشركة', ['1234.50', '١٢٣٤٫٥٠', 'المسوول', 'مستشفي']],
  ['کتاب فارسی به شماره ۴۷۱۱', ['كتاب', 'فارسي', '4711']],
  ['कुल राशि ४७११ रुपये की ज़रूरत है', ['4711', 'जरूरत']],
  ['เลขที่ ๔๗๑๑', ['4711']],
  ['Ο ΛΟΓΟΣ για το προϊόν και την ευρωπαϊκή αγορά.', ['λόγος', 'λογος', 'προιον', 'ευρωπαικη']],
  [
    'The data\u200Bbase of Kevlar™ had a revenue¹ of Rs 12,34,567.50.',
    ['database', 'Kevlar', 'revenue', '1234567.50'],
  ],
  ['Il faut 1¼ tasse à 40 ºC, 12 µF, et 1 234 567,89 € en tout.', ['40 °C', '12uF', '1/4', '1234567.89']],
  ['The U.S.A. and AT&T sent an e-mail.', ['USA', 'U.S.A.', 'AT&T', 'email', 'E-Mail']],
  [
    'See /etc/nginx/nginx.conf, jane.doe@shop.example and https://www.shop.example/docs/page.html.Enter it.',
    ['nginx', 'jane.doe@shop.example', 'shop.example', 'jane', 'docs', 'enter'],
  ],
  [
    'Part A-123/4 of INV/2024/0042, a long\u2011term plan.',
    ['A-123/4', 'A 123 4', '0042', 'INV-2024-0042', 'long-term'],
  ],
];

/** What a text has, and what is another word or number. */
const OTHER: readonly [text: string, asked: string[]][] = [
  ['A length of 1.25 m on 12.03.2024, of 12.5 in all.', ['125', '1250', '1203', '120']],
  ['The cooperation and its area of 120 m² and CO₂.', ['operation', 'm3', 'co3']],
];

test('chunks and lists find the same words, however they are written', async () => {
  const ids = await Promise.all(
    WRITTEN.map(([text], at) =>
      client.ingest({ bytes: Buffer.from(`${text}\n\n${randomUUID()}\n`), filename: `written-${at}.txt` }),
    ),
  );
  const missed: string[] = [];
  for (const [at, [, asked]] of WRITTEN.entries()) {
    const id = ids[at] ?? '';
    await client.settled(id);
    const em = orm.em.fork();
    const { tenantId } = await em.findOneOrFail(StoredFile, { id });
    for (const query of asked) {
      const { hits } = await findByWords(em, tenantId, { query, documentIds: [id] }, 5);
      if (hits.length === 0) missed.push(`${at}: ${query} in chunks`);
      if (!(await isListed(tenantId, id, query))) missed.push(`${at}: ${query} in lists`);
    }
  }
  assert.deepEqual(missed, []);
});

test('other words and numbers stay others', async () => {
  const em = orm.em.fork();
  for (const [text, asked] of OTHER)
    for (const query of asked) {
      const [row] = await em.execute<{ chunks: boolean; lists: boolean }[]>(
        `select chunk_search('simple', '{}', ?) @@ plainto_tsquery('simple', chunk_text(?)) as chunks,
           search_visible_words(?) @@ plainto_tsquery('english', search_fold(?)) as lists`,
        [text, query, text, query],
      );
      assert.deepEqual(row, { chunks: false, lists: false }, `${query} in ${text}`);
    }
});

test('texts in scripts that the model does not know are found by their words, and similar to nothing', async () => {
  const ids: string[] = [];
  for (const text of ['東京都の予算は来年度に増えます。', '采购合同违约金', '보증기간은 이 년입니다.'])
    ids.push(await client.ingest({ bytes: Buffer.from(`${text}\n`), filename: 'unknown.txt' }));
  for (const id of ids) await client.settled(id);
  const search = async (query: string, threshold: number) => {
    const asked = { query, similarity_threshold: threshold, document_ids: ids };
    const { status, body } = await client.post('/files/search', asked);
    assert.equal(status, 200, JSON.stringify(body));
    return body.items.map(({ similarity_score }: Json) => similarity_score);
  };
  const found: number[] = await search('予算', 0);
  assert.ok(found.length > 0 && found.every((score) => score === 0), found.join(' '));
  for (const query of ['大阪', '予算', '계약']) assert.deepEqual(await search(query, 0.95), [], query);
});

test('the words of a text of one kind of sign take linear time', async () => {
  await orm.em.fork().transactional(async (em) => {
    await em.execute('set local statement_timeout = 5000');
    for (const sign of [
      '1,234',
      '123.',
      '1',
      '1a',
      '1 234,',
      '東',
      'é',
      "1'",
      'a.',
      'A&',
      '.-',
      '1½',
      'abc\u200C',
      'מִ',
    ]) {
      const text = sign.repeat(20_000);
      await em.execute('select search_fold(?), chunk_search(?, ?::text[], ?)', [text, 'english', '{}', text]);
    }
  });
});

test('punctuation is not part of words in titles and names', async () => {
  const cases: [text: string, searchable: string][] = [
    ['«Museo de Albarraza»', ' Museo de Albarraza '],
    ['¿Cuándo?', ' Cuándo?'],
    ['d’heures – “always”', 'd heures    always '],
    ['soft\u00ADwa\u200Bre', 'software'],
    ['مكتبة النهضة؟', 'مكتبة النهضة '],
    ['plain, "text" 3.5', 'plain, "text" 3.5'],
    ['「museum」→3€', ' museum  3 '],
    ['हिन्दी e\u0301té', 'हिन्दी été'],
    ['a\u200Fb\u00A0c\u0085d', 'a b c d'],
  ];
  const em = orm.em.fork();
  for (const [text, searchable] of cases) {
    const [row] = await em.execute<{ plain: string; folded: string }[]>(
      'select searchable_text(?) as plain, search_fold(?) as folded',
      [text, text],
    );
    assert.equal(row?.plain, searchable);
    assert.doesNotMatch(row?.folded ?? '', /[^\p{L}\p{M}\p{N} ]/u);
  }
});

test('lists find a word anywhere in a long document, and phrases at its beginning', async () => {
  const filler = 'The harbour of the town is closed in winter, and its boats lie under the old bridge.\n\n';
  const text = `${filler.repeat(1_400)}At the very end stands a «Seepferdchen» of stone.\n`;
  assert.ok(text.length > 110_000);
  const id = await client.ingest({ bytes: Buffer.from(text), filename: 'long.txt' });
  const { tenantId } = await orm.em.fork().findOneOrFail(StoredFile, { id });
  const listed = (search: string) => isListed(tenantId, id, search);
  // Its words are stored before its many chunks are embedded.
  await eventually(async () => assert.equal(await listed('seepferdchen'), true), 60);
  assert.equal(await listed('harbour stones „Seepferdchen“'), true);
  assert.equal(await listed('"old bridge"'), true);
  assert.equal(await listed('"end stands"'), false);
  assert.equal(await listed('lighthouse'), false);
});
