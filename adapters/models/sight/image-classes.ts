import classes from './image-classes.json' with { type: 'json' };

/** A class of ImageNet, or a coarse group of them. */
export interface NamedProbability {
  name: string;
  probability: number;
}

/** The usual name of a class where its first name in WordNet misleads. */
const USUAL_NAMES: Readonly<Record<string, string>> = {
  'bell cote': 'bell tower',
  'Granny Smith': 'apple',
  'crossword puzzle': 'puzzle',
  espresso: 'coffee',
  modem: 'circuit board',
  monitor: 'screen',
  pot: 'flower pot',
  'solar dish': 'solar panel',
  wallaby: 'kangaroo',
  'web site': 'screenshot',
};

/** The names of each class in WordNet, of which the usual one is the first. */
const ALL_NAMES = classes.names.map((names) => {
  const all = names.split(', ');
  const usual = USUAL_NAMES[all[0] ?? ''];
  return usual === undefined ? all : [usual, ...all];
});
const NAMES = ALL_NAMES.map(([first = '']) => first);
const GROUPS = Object.entries(classes.groups);
const BEST = 5;

export interface Classes {
  /** The most probable classes, best first. */
  classes: NamedProbability[];
  /** Groups by the sum of their classes, best first. */
  groups: NamedProbability[];
}

/** Names that tell what each class is, further ones being rare, then those of the groups. */
export const CLASS_NAMES: readonly string[] = [
  ...ALL_NAMES.map((names) => names.slice(0, 2).join(', ')),
  ...GROUPS.map(([name]) => name),
];

/** How probable each of {@link CLASS_NAMES} is. */
export function classProbabilities(probabilities: ArrayLike<number>): number[] {
  const groups = GROUPS.map(([, members]) => members.reduce((sum, at) => sum + (probabilities[at] ?? 0), 0));
  return [...Array.from(probabilities), ...groups];
}

/** @param probabilities of the 1,000 classes in their order */
export function nameClasses(probabilities: ArrayLike<number>): Classes {
  const all = classProbabilities(probabilities);
  const best = (named: NamedProbability[]) =>
    named.toSorted((a, b) => b.probability - a.probability).slice(0, BEST);
  return {
    classes: best(NAMES.map((name, at) => ({ name, probability: probabilities[at] ?? 0 }))),
    groups: best(GROUPS.map(([name], at) => ({ name, probability: all[NAMES.length + at] ?? 0 }))),
  };
}
