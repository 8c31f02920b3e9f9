import { dictionaryOf } from '../../domain/documents/dictionaries.ts';

/** Names the most likely language of a text, ISO 639-1, by its letters; null if it is too short. */
export type DetectLanguage = (text: string, among?: readonly string[]) => string | null;

/**
 * The most frequent function words of languages in Latin script: a quarter or more of any running text, and next to none
 * of code, tables, names or other languages.
 */
const FUNCTION_WORDS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries({
    ca: 'i el la els les de del dels al als que en un una per amb és no es són com més o aquest aquesta ha si però seu ser l d s n pot',
    cs: 'a v na se je že to do s z o pro jako ale by jsou nebo tak které který po jeho od při není k i bude být',
    da: 'og i at det en den til er som på de med af for ikke der var et har han kan om men fra eller vil blev hvis også skal når man ved dette',
    de: 'der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er hat dass sie nach wird bei einer um am sind noch wie einem über einen so zum oder wenn kann zur durch diese wurde nur',
    en: 'the of and to in a is that for it as was with be by on not he this are or his from at which but have an had they you were their one all we can has there been if more when will would who so no what about into than its only other may must should',
    es: 'de la que el en y a los del se las por un para con no una su al lo como más pero sus le ya o este sí porque esta entre cuando muy sin sobre también me hasta hay donde es son puede ser si',
    et: 'ja on ei et see ta kui oli mis aga ka oma nii või ma siis seda tema mida kes ning ole pole kõik selle nagu veel üks',
    eu: 'eta da ez du bat dira zen ere egin izan dute baina hau hori beste bere den edo dio duen zuen izango egiten behar artean ditu',
    fi: 'ja on ei se että oli hän ovat mutta tai kun joka myös niin kuin sen jos ole voi sekä ollut tämä tämän olla mitä jotka vain mukaan sitä ne eli',
    fr: 'de la le et les des en un une du que est dans qui par pour au il sur ne se plus pas ce avec ou sont cette ses mais comme on son aux être à si vous peut elle d l s qu n c nous leur ces tout',
    ga: 'agus an na ar is i a go le sé bhí do tá ag nach níl seo sin ach as leis mar gur ó den don sí ní bhfuil',
    hr: 'i u je na se da su za od s koji a o ne što kao ili iz bi to koja nije po bio sve ali koje biti do će',
    hu: 'a az és hogy nem is egy ez meg volt de csak mint ha vagy már el azt sem van kell még ki lesz aki fel nagy minden ezt',
    id: 'yang dan di dari untuk dengan pada ini itu dalam tidak adalah akan ke oleh sebagai juga atau dapat telah ada bisa karena tersebut lebih saya kita mereka',
    it: 'di e il la che in un a per è una del con non le i si da al dei gli come della lo sono nel più alla anche o ma se questo ha delle l dell d su può essere dal ad',
    lt: 'ir į kad yra iš su buvo tai o bet kaip ar ne jis nuo už apie jo po savo prie per dar tik taip gali arba jei šis būti',
    lv: 'un ir ar no par kas uz ka arī bet kā tas ne vai to tā bija lai pie šo pēc var tiek gan jau ja',
    nl: 'de van het een en in is dat op te zijn met voor niet aan er die als ook om maar bij of door wordt uit naar dan ze nog kan worden over deze heeft je werd was deze tot',
    no: 'og i det er som på en til av for med at de ikke den har om et fra var men han kan vil eller seg skal ved hvis også når ble dette man må du',
    pl: 'w i na z się do nie to że jest o jak po od za przez ale dla są tym lub co oraz był może jego przy tego być które który a jako tylko już czy',
    pt: 'de a o que e do da em um para é com não uma os no se na por mais as dos como mas foi ao ele das tem à seu sua ou ser quando muito nos já está também só pelo pela até isso são pode',
    ro: 'de și în a la cu pe că nu este din un o se care mai pentru sau prin ca sunt după au fost fi ce al dar lui ei poate această acest când dacă iar',
    sk: 'a v na sa je že to do s z o pre ako ale by sú alebo tak ktoré ktorý po jeho od pri nie k aj bude byť',
    sl: 'in je v na se da za so ki z s pa tudi kot ni po od bi o ali do pri lahko še iz ne če več bil',
    sv: 'och i att det som en på är av för med till den har de inte om ett han men var sig från så kan när eller vid också ska denna du skall detta finns',
    tr: 've bir bu da de için ile olarak olan çok daha gibi ne var en o ama kadar sonra veya ise değil her olduğu mi ya tarafından bunu şey',
    vi: 'và của là có được cho không một các trong với người này những đã để khi từ đến về như cũng tại theo vào nhưng ra',
  }).map(([language, words]) => [language, words.split(' ').filter((word) => word.length > 1)]),
);

interface FunctionWords {
  count: number;
  /** Each word once. */
  different: number;
}

/** Languages of the scripts other than Latin, each by one of its letters. */
const SCRIPTS: readonly { letter: RegExp; languages: readonly string[] }[] = [
  { letter: /\p{Script=Arabic}/gu, languages: ['ar', 'fa', 'ur'] },
  { letter: /\p{Script=Armenian}/gu, languages: ['hy'] },
  { letter: /\p{Script=Bengali}/gu, languages: ['bn'] },
  { letter: /\p{Script=Cyrillic}/gu, languages: ['ru', 'uk', 'bg', 'sr', 'mk', 'be', 'kk', 'mn', 'tt'] },
  { letter: /\p{Script=Devanagari}/gu, languages: ['hi', 'ne', 'mr'] },
  { letter: /\p{Script=Georgian}/gu, languages: ['ka'] },
  { letter: /\p{Script=Greek}/gu, languages: ['el'] },
  { letter: /\p{Script=Han}/gu, languages: ['zh', 'ja'] },
  { letter: /\p{Script=Hangul}/gu, languages: ['ko'] },
  { letter: /\p{Script=Hebrew}/gu, languages: ['he', 'yi'] },
  { letter: /\p{Script=Hiragana}/gu, languages: ['ja'] },
  { letter: /\p{Script=Katakana}/gu, languages: ['ja'] },
  { letter: /\p{Script=Tamil}/gu, languages: ['ta'] },
  { letter: /\p{Script=Thai}/gu, languages: ['th'] },
];

/** Fewer words, or letters of another script, are often names, titles or quotations. */
const FEWEST_WORDS = 20;
/** One function word may also be a name, or a word of another language. */
const FEWEST_DIFFERENT = 5;
const FEWEST_LETTERS = 20;
/** Share of function words in running text; in code and tables it is lower. */
const RUNNING_TEXT = 0.16;
/**
 * How many times as many function words a text has of another language as of its document's; of a related one, which
 * shares many of them, it has fewer, but other letters.
 */
const CLEARLY_MORE = 2.5;
const MORE = 1.5;
/** Languages with nearly as many function words, such as Danish and Norwegian, are told apart by letters. */
const NEARLY = 0.75;

/** Words looked at in a text. */
const MOST_CHARACTERS = 8_000;
/** Prose of a document is judged in parts of this size, evenly spread over it. */
const PART = 800;
const MOST_PARTS = 120;

/**
 * The language of most of a document's prose, ISO 639-1. Parts without function words, such as lists of names and code,
 * are no evidence.
 *
 * @param texts of its paragraphs, in order
 * @param stated by the document, or supposed of it: the result where the text does not tell
 */
export function languageOfDocument(
  texts: Iterable<string>,
  stated: string | null,
  detect: DetectLanguage,
): string | null {
  const votes = new Map<string, number>();
  for (const part of spread(partsOf(texts))) {
    const [language, weight] = judge(part, detect);
    if (language !== null) votes.set(language, (votes.get(language) ?? 0) + weight);
  }
  const [best] = [...votes].toSorted(([, one], [, other]) => other - one);
  return best?.[0] ?? stated;
}

/**
 * The language of a part of a document: the document's, unless the part is clearly in another, because it is in another
 * script, or has enough running text in which function words of another language prevail.
 *
 * @param document its language; null if unknown
 */
export function languageOfPart(text: string, document: string | null, detect: DetectLanguage): string | null {
  const sample = text.slice(0, MOST_CHARACTERS);
  const possible = languagesOfScript(sample);
  if (possible) return possible.includes(document ?? '') ? document : (detect(sample, possible) ?? document);
  const { words, counts } = countFunctionWords(sample);
  const own = counts.get(document ?? '')?.count ?? 0;
  const prevails = ([language, count]: [string, number]) =>
    count >= own * CLEARLY_MORE ||
    (count >= own * MORE && detect(sample, [document ?? '', language]) === language);
  const others = runningText(words, counts).filter(
    (other) => dictionaryOf(other[0]) !== 'simple' && prevails(other),
  );
  return mostLikely(sample, others, detect) ?? document;
}

/** What English asks with, and is not among its function words. */
const ENGLISH_QUESTION = /(?<!\p{L})(?:how|what|where|when|why|does|do|did)(?!\p{L})/giu;

/**
 * Whether a text, or a question of a few words, is not clearly in another language than English: most of its letters are
 * Latin, and no other language has more of its function words. Code and names count as English.
 */
export function isLikelyEnglish(text: string): boolean {
  const sample = text.slice(0, MOST_CHARACTERS);
  const letters = countOf(sample, /\p{L}/gu);
  if (countOf(sample, /\p{Script=Latin}/gu) * 2 < letters) return false;
  const { counts } = countFunctionWords(sample);
  const english = (counts.get('en')?.count ?? 0) + countOf(sample, ENGLISH_QUESTION);
  const most = Math.max(0, ...[...counts.values()].map(({ count }) => count));
  // Words with accents decide between as many function words.
  return (
    english > most ||
    (english === most && (english > 0 || !/[^\p{ASCII}’‘“”–—]/u.test(sample.replaceAll(/\P{L}/gu, ''))))
  );
}

/** The language of a part that is judged alone, with its weight. */
function judge(text: string, detect: DetectLanguage): [string | null, number] {
  const possible = languagesOfScript(text);
  if (possible) return [detect(text, possible), text.length];
  const { words, counts } = countFunctionWords(text);
  return [mostLikely(text, runningText(words, counts), detect), text.length];
}

/** The languages of which a text has function words as running text has them. */
function runningText(words: number, counts: ReadonlyMap<string, FunctionWords>): [string, number][] {
  if (words < FEWEST_WORDS) return [];
  return [...counts]
    .filter(([, { count, different }]) => count >= words * RUNNING_TEXT && different >= FEWEST_DIFFERENT)
    .map(([language, { count }]) => [language, count]);
}

function mostLikely(
  text: string,
  candidates: readonly [language: string, count: number][],
  detect: DetectLanguage,
): string | null {
  const [best] = candidates.toSorted(([, one], [, other]) => other - one);
  if (!best) return null;
  const near = candidates.filter(([, count]) => count >= best[1] * NEARLY).map(([language]) => language);
  return near.length > 1 ? (detect(text, near) ?? best[0]) : best[0];
}

/** Number of words of a text, and the function words of each language among them. */
function countFunctionWords(text: string): { words: number; counts: Map<string, FunctionWords> } {
  const occurrences = new Map<string, number>();
  let words = 0;
  // A single letter is often a name or a unit.
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{M}]{2,}/gu)) {
    words += 1;
    if (LANGUAGES_OF_WORD.has(word)) occurrences.set(word, (occurrences.get(word) ?? 0) + 1);
  }
  const counts = new Map<string, FunctionWords>();
  for (const [word, times] of occurrences)
    for (const language of LANGUAGES_OF_WORD.get(word) ?? []) {
      const { count, different } = counts.get(language) ?? { count: 0, different: 0 };
      counts.set(language, { count: count + times, different: different + 1 });
    }
  return { words, counts };
}

const LANGUAGES_OF_WORD = new Map<string, string[]>();
for (const [language, words] of Object.entries(FUNCTION_WORDS))
  for (const word of words) LANGUAGES_OF_WORD.set(word, [...(LANGUAGES_OF_WORD.get(word) ?? []), language]);

/** The languages of the script of most letters of a text, if it is not Latin. */
function languagesOfScript(text: string): readonly string[] | undefined {
  const letters = countOf(text, /\p{L}/gu);
  const latin = countOf(text, /\p{Script=Latin}/gu);
  if (letters - latin < FEWEST_LETTERS || latin * 2 > letters) return undefined;
  const counts = SCRIPTS.map(({ letter, languages }) => ({ languages, count: countOf(text, letter) }));
  const [best] = counts.toSorted((one, other) => other.count - one.count);
  return best && best.count > 0 ? best.languages : undefined;
}

function countOf(text: string, letter: RegExp): number {
  return text.match(letter)?.length ?? 0;
}

function partsOf(texts: Iterable<string>): string[] {
  const parts: string[] = [];
  let current = '';
  for (const text of texts) {
    for (let start = 0; start < text.length; start += PART) {
      current += `${text.slice(start, start + PART)}\n`;
      if (current.length < PART) continue;
      parts.push(current);
      current = '';
    }
  }
  return current === '' ? parts : [...parts, current];
}

function spread(parts: readonly string[]): string[] {
  const every = Math.max(1, parts.length / MOST_PARTS);
  return Array.from(
    { length: Math.min(parts.length, MOST_PARTS) },
    (_, at) => parts[Math.floor(at * every)] ?? '',
  );
}
