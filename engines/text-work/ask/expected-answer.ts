type Words = (words: readonly string[]) => boolean;

/** One of these words, given with spaces between; `*` stands for further letters, `?` for a letter that may lack. */
function anyOf(...lists: string[]): Words {
  const all = lists.join(' ').split(' ');
  const whole = new Set(
    all.flatMap((word) =>
      word.endsWith('?') ? [word.slice(0, -1), word.slice(0, -2)] : word.endsWith('*') ? [] : [word],
    ),
  );
  const beginnings = all.flatMap((word) => (word.endsWith('*') ? [word.slice(0, -1)] : []));
  return (words) =>
    words.some((word) => whole.has(word) || beginnings.some((beginning) => word.startsWith(beginning)));
}

const DATE =
  /\d{1,4}[./-]\d{1,2}[./-]\d{1,4}|(?<!\p{N})(?:1[5-9]|20)\d\d(?!\p{N})|\d{1,2}(?::\d\d|\s?(?:am|pm|uhr|h)(?!\p{L}))|\d\.?\s(?:may|march|mai|mars)(?!\p{L})|(?<!\p{L})(?:may|march)\s\d/iu;
/** Not within a name, as in `sqlite3`. */
const NUMBER = /(?<![\p{L}\p{N}_])\p{N}/u;
/** Months that are other words as well count beside a number. */
const DATES = anyOf(
  'january february april june july august september october november december jan feb apr jun jul aug sep sept oct nov dec',
  'januar februar märz juni juli oktober dezember janvier février avril juin juillet août septembre octobre novembre décembre',
  'enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre',
  'monday* tuesday* wednesday* thursday* friday* saturday* sunday* montag* dienstag* mittwoch* donnerstag* freitag* samstag* sonntag*',
  'lundi mardi mercredi jeudi vendredi samedi dimanche lunes martes miércoles jueves viernes sábado domingo today tomorrow yesterday',
  'century jahrhundert* siècle siglo',
);
const SPANS = anyOf(
  'seconds? minutes? hours? days? weeks? months? years? morning noon evening night midnight daily weekly monthly yearly annually hourly',
  'sekunde* minute* stunde* tage? tagen woche* monat* jahre? jahren täglich wöchentlich monatlich jährlich',
  'secondes? heures? jours? semaines? mois ans segundos? horas? días? semanas? meses años?',
);
const CONDITIONS = anyOf(
  'when whenever once if after before until till while during every each soon wenn sobald nach nachdem vor bevor bis falls während',
  'lorsque quand après avant dès si cuando después antes hasta',
);
const NUMBERS = anyOf(
  'zero one two three four five six seven eight nine ten eleven twelve twenty thirty hundred* thousand* million* half quarter dozen',
  'twice free no none never always every unlimited any until',
  'ein eine einen einem einer zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig hundert tausend halb* kostenlos kein* nie immer jede*',
  'un une deux trois quatre cinq sept huit neuf dix douze vingt cent mille demi* gratuit* aucun* jamais chaque',
  'uno una dos tres cuatro cinco seis siete ocho nueve diez doce veinte cien mil medi* gratis ningun* nunca siempre cada',
);

/** How questions begin, and what every answer to them has: in English, German, French and Spanish. */
const EXPECTED: readonly { asked: RegExp; pattern: RegExp; words: readonly Words[] }[] = [
  {
    asked:
      /^\P{L}*(?:when (?:was|were|did)|what (?:date|year) (?:was|were|did)|in (?:which|what) year)(?!\p{L})/iu,
    pattern: DATE,
    words: [DATES],
  },
  {
    asked: /^\P{L}*(?:\p{L}+ )?(?:when|wann|quand|cuándo)(?!\p{L})/iu,
    pattern: DATE,
    words: [DATES, SPANS, CONDITIONS],
  },
  {
    asked:
      /^\P{L}*(?:how (?:many|much|long|old|far|tall|high|heavy|wide|deep|often)|wie ?(?:viele?|lange|alt|weit|hoch|schwer|breit|oft|teuer)|was kostet|combien|cuánt[oa]s?)(?!\p{L})/iu,
    pattern: NUMBER,
    words: [NUMBERS, SPANS],
  },
  {
    asked:
      /^\P{L}*what (?:is|are|was|were) the (?:\p{L}+ ){0,3}(?:price|cost|fee|total|amount|number|weight|height|length|width|depth|size|age|distance|speed|port|temperature|pressure|voltage|percentage|rate|duration)(?!\p{L})/iu,
    pattern: NUMBER,
    words: [NUMBERS, SPANS],
  },
];

const WHO = /^\P{L}*(?:who|wer|qui|quién(?:es)?)(?!\p{L})/iu;
/** They ask for somebody of whom more than the office is said. */
const WHO_WAS =
  /^\P{L}*(?:who (?:was|were)|wer war(?:en)?|qui (?:était|étaient|fut)|quién(?:es)? (?:fue|fueron|era|eran))(?!\p{L})/iu;
/** What stands before or after a name. */
const BESIDE_NAME = new Set('by was were is von war ist par était est por fue era es'.split(' '));

/** Whether a text has a word that the question lacks, and for `who was` such a name. */
function namesSomebody(text: string, question: string): boolean {
  const asked = new Set(question.toLowerCase().match(/\p{L}+/gu));
  const words = text.match(/\p{L}{2,}|[^\p{L}\s.'’-]+/gu) ?? [];
  const isNew = (word = '') => /^\p{L}/u.test(word) && !asked.has(word.toLowerCase());
  if (!WHO_WAS.test(question)) return words.some(isNew);
  const isName = (word = '') => /^\p{Lu}/u.test(word) && isNew(word);
  return words.some(
    (word, at) =>
      isName(word) &&
      (isName(words[at + 1]) ||
        BESIDE_NAME.has(words[at + 1]?.toLowerCase() ?? '') ||
        BESIDE_NAME.has(words[at - 1]?.toLowerCase() ?? '')),
  );
}

const COUNTED =
  /(?<!\p{L})(?:how many|number of|wie viele|anzahl der|combien de|nombre de|cuánt[oa]s|número de) (\p{L}+)/iu;
/** Letters in which forms of a word may differ at their end, and those that are enough. */
const ENDING = 3;
const ENOUGH = 4;

/** Whether a row with the heads of its columns is about what a question counts: its label says what its number is of. */
export function countsIn(question: string): (row: string) => boolean {
  const counted = COUNTED.exec(question)?.[1]?.toLowerCase() ?? '';
  const stem = counted.slice(0, Math.max(ENOUGH, counted.length - ENDING));
  return (row) => row.toLowerCase().includes(stem);
}

/**
 * Whether a text has the kind of thing that a question asks for: a time for `when`, a number for `how many`, somebody for `who`.
 */
export function expectedOf(question: string): (text: string) => boolean {
  const expected = EXPECTED.filter(({ asked }) => asked.test(question));
  return (text) => {
    const own = text.toLowerCase().match(/\p{L}+/gu) ?? [];
    if (WHO.test(question) && !namesSomebody(text, question)) return false;
    return expected.every(({ pattern, words }) => pattern.test(text) || words.some((any) => any(own)));
  };
}
