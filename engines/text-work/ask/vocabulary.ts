/** The words of a language that decide whether one sentence says the same as another. */
export interface Vocabulary {
  /** Articles and forms of `be` that may differ. */
  free: ReadonlySet<string>;
  /** Articles and the like, which tell the language. */
  usual: ReadonlySet<string>;
  negators: ReadonlySet<string>;
  /** They turn or bound what is said. */
  bounds: ReadonlySet<string>;
  /** Between a property and what has it. */
  of: string;
  /** What a sentence with one of these says does not hold without it. */
  reservations: ReadonlySet<string>;
  /** What begins with one of these after a comma gives a reason. */
  reasons: readonly string[];
  /** They join clauses, and say no more than that. */
  joints: ReadonlySet<string>;
  /** Whether a capital letter within a sentence begins a name, and not every noun. */
  hasNames: boolean;
}

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

const ENGLISH: Vocabulary = {
  of: 'of',
  free: words('a an the that this these those is are'),
  usual: words(
    'a an the that this these those it its they their there is are was were be been being has have had does do did of in ' +
      'on at as also so thus then however therefore very just here which who whose we you your our please',
  ),
  negators: words(
    'not no never none nor neither without nobody nothing nowhere hardly barely rarely seldom instead non',
  ),
  bounds: words(
    'by only may might must shall should can could will would or either least most more less fewer before after over ' +
      'under above below minimum maximum up almost nearly approximately about roughly all every each any some both always ' +
      'sometimes often usually than too enough fail lack prevent prohibit forbid forbidden avoid refuse reject stop cease but while whereas although because though yet for with since between',
  ),
  reservations: words(
    'if unless except excluding exception provided until till when whenever once false untrue incorrect wrong myth ' +
      'allegedly alleged supposedly claim claims claimed say says said according critics rumour rumor formerly deny denies ' +
      'denied whether whatever fake hypothetical example',
  ),
  reasons: ['because', 'as this'],
  joints: words('and'),
  hasNames: true,
};

const GERMAN: Vocabulary = {
  of: 'von',
  free: words('das die ein eine ist sind'),
  usual: words(
    'der die das den dem des ein eine einen einem einer eines ist sind war waren wird werden im am es sie sich zum zur in an ' +
      'auf auch dann hat haben bitte',
  ),
  negators: words(
    'nicht kein keine keinen keinem keiner keines nie niemals ohne weder noch nichts kaum selten statt',
  ),
  bounds: words(
    'nur muss müssen darf dürfen soll sollen sollte kann können könnte oder mindestens höchstens mehr weniger vor unter ober ' +
      'oberhalb unterhalb minimal maximal fast etwa ungefähr alle jeder jede jedes manche immer manchmal oft meist als bis ' +
      'verboten untersagt vermeiden aber sondern während weil obwohl für mit da zwischen',
  ),
  reservations: words(
    'wenn falls außer ausgenommen sofern solange sobald angeblich falsch behauptet laut früher ehemals bevor ob',
  ),
  reasons: ['weil'],
  joints: words('und'),
  hasNames: false,
};

const FRENCH: Vocabulary = {
  of: 'de',
  free: words('le la les l un une est sont'),
  usual: words(
    'le la les l un une des du de d est sont était être à au aux en il elle ils elles ce cette ces aussi que qui s',
  ),
  negators: words('ne n pas jamais sans aucun aucune ni rien personne rarement'),
  bounds: words(
    'par seulement doit doivent peut peuvent ou moins plus avant après sous maximum minimum presque environ tout toute tous ' +
      'toutes chaque quelques toujours parfois souvent interdit éviter mais tandis car pour avec entre',
  ),
  reservations: words('si sauf excepté hormis jusque faux fausse prétend selon lorsque quand ancien'),
  reasons: ['car', 'parce que'],
  joints: words('et'),
  hasNames: true,
};

const SPANISH: Vocabulary = {
  of: 'de',
  free: words('el la los las un una es son'),
  usual: words(
    'el la los las un una unos unas del de es son era ser está están en al lo se que a también su sus',
  ),
  negators: words('no nunca sin ni tampoco ninguno ninguna ningún jamás nada nadie apenas'),
  bounds: words(
    'por solo sólo debe deben puede pueden o u menos más antes después bajo máximo mínimo casi todo toda todos todas cada ' +
      'algunos siempre prohibido evitar pero mientras porque para con entre',
  ),
  reservations: words('si salvo excepto hasta falso falsa según supuestamente cuando antiguo'),
  reasons: ['porque'],
  joints: words('y e'),
  hasNames: true,
};

const NONE = words('');

/** A language whose words are not known: nothing may differ, and nothing is left out. */
export const UNKNOWN_LANGUAGE: Vocabulary = {
  of: '',
  free: NONE,
  usual: NONE,
  negators: NONE,
  bounds: NONE,
  reservations: NONE,
  reasons: [],
  joints: NONE,
  hasNames: false,
};

/** Articles and the like of languages that share words with those above, but have no vocabulary. */
const OTHERS = [
  'il lo la i gli le un uno una di del della dei delle che è non si per con in al da',
  'o a os as um uma de do da dos das não é que se em no na para com',
  'de het een van is niet en dat die op in te voor met zijn er',
].map(words);

/** Share of articles and the like in any prose of a language; lists of parts have fewer. */
const LEAST_SHARE = 0.08;
/** The beginning of a text tells its language. */
const READ = 4000;

/** The vocabulary of the language that most articles and the like of a text are of; `otherwise` for a text with none. */
export function vocabularyOf(text: string, otherwise = UNKNOWN_LANGUAGE): Vocabulary {
  const found =
    text
      .slice(0, READ)
      .toLowerCase()
      .match(/\p{L}+/gu) ?? [];
  const counted = [
    ...[ENGLISH, GERMAN, FRENCH, SPANISH].map((language) => ({ language, usual: language.usual })),
    ...OTHERS.map((usual) => ({ language: UNKNOWN_LANGUAGE, usual })),
  ].map(({ language, usual }) => ({ language, count: found.filter((word) => usual.has(word)).length }));
  const [best, second] = counted.toSorted((a, b) => b.count - a.count);
  if (!best || best.count === 0) return otherwise;
  if (best.count < found.length * LEAST_SHARE || best.count === second?.count) return UNKNOWN_LANGUAGE;
  return best.language;
}
