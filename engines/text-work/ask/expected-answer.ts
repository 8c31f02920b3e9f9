/** One of these words, given with spaces between; `*` stands for further letters. */
const word = (...lists: string[]): string =>
  `(?<!\\p{L})(?:${lists.join(' ').replaceAll('*', '\\p{L}*').split(' ').join('|')})(?!\\p{L})`;
const matching = (...patterns: string[]): RegExp => new RegExp(patterns.join('|'), 'iu');

const DATES = [
  String.raw`\d{1,4}[./-]\d{1,2}[./-]\d{1,4}`,
  String.raw`(?<!\p{N})(?:1[5-9]|20)\d\d(?!\p{N})`,
  String.raw`\d{1,2}(?::\d\d|\s?(?:am|pm|uhr|h)(?!\p{L}))`,
  word(
    'january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec',
    'januar februar märz mai juni juli oktober dezember janvier février mars avril juin juillet août septembre octobre novembre décembre',
    'enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre',
    'monday* tuesday* wednesday* thursday* friday* saturday* sunday* montag* dienstag* mittwoch* donnerstag* freitag* samstag* sonntag*',
    'lundi mardi mercredi jeudi vendredi samedi dimanche lunes martes miércoles jueves viernes sábado domingo today tomorrow yesterday',
    'century jahrhundert* siècle siglo',
  ),
];
const SPANS = word(
  'seconds? minutes? hours? days? weeks? months? years? morning noon evening night midnight daily weekly monthly yearly annually hourly',
  'sekunde* minute* stunde* tage? tagen woche* monat* jahre? jahren täglich wöchentlich monatlich jährlich',
  'secondes? heures? jours? semaines? mois ans? segundos? horas? días? semanas? meses años?',
);
const CONDITIONS = word(
  'when whenever once if after before until till while during every each as wenn sobald nach nachdem vor bevor bis falls während',
  'lorsque quand après avant dès si cuando después antes hasta',
);
const NUMBERS = [
  String.raw`\p{N}`,
  word(
    'zero one two three four five six seven eight nine ten eleven twelve twenty thirty hundred* thousand* million* half quarter dozen',
    'twice free no none never always every unlimited any until',
    'ein eine einen einem einer zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig hundert tausend halb* kostenlos kein* nie immer jede*',
    'un une deux trois quatre cinq sept huit neuf dix douze vingt cent mille demi* gratuit* aucun* jamais chaque',
    'uno una dos tres cuatro cinco seis siete ocho nueve diez doce veinte cien mil medi* gratis ningun* nunca siempre cada',
  ),
];
const MEASURES =
  'price cost fee total amount weight height length width size temperature pressure voltage percentage rate duration';

/** How questions begin, and what every answer to them has: in English, German, French and Spanish. */
const EXPECTED: readonly { asked: RegExp; has: RegExp }[] = [
  {
    asked: matching(
      String.raw`^\W*(?:when (?:was|were|did)|what (?:date|year) (?:was|were|did)|in (?:which|what) year)(?!\p{L})`,
    ),
    has: matching(...DATES),
  },
  {
    asked: matching(String.raw`^\W*(?:\p{L}+ )?(?:when|wann|quand|cuándo)(?!\p{L})`),
    has: matching(...DATES, SPANS, CONDITIONS),
  },
  {
    asked: matching(
      String.raw`^\W*(?:how (?:many|much|long|old|far|tall|high|heavy|wide|deep|often)|wie ?(?:viele?|lange|alt|weit|hoch|schwer|breit|oft|teuer)|was kostet|combien|cuánt[oa]s?)(?!\p{L})`,
      String.raw`^\W*what (?:is|are|was|were) the (?:\p{L}+ ){0,2}(?:${MEASURES.replaceAll(' ', '|')})(?!\p{L})`,
    ),
    has: matching(...NUMBERS, SPANS),
  },
];

/** Whether a text has the kind of thing that a question asks for: a time for `when`, a number for `how many`. */
export function expectedOf(question: string): (text: string) => boolean {
  const expected = EXPECTED.filter(({ asked }) => asked.test(question));
  return (text) => expected.every(({ has }) => has.test(text));
}
