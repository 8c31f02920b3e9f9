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

/** Whether a text has the kind of thing that a question asks for: a time for `when`, a number for `how many`. */
export function expectedOf(question: string): (text: string) => boolean {
  const expected = EXPECTED.filter(({ asked }) => asked.test(question));
  return (text) => {
    const own = text.toLowerCase().match(/\p{L}+/gu) ?? [];
    return expected.every(({ pattern, words }) => pattern.test(text) || words.some((any) => any(own)));
  };
}
