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

/** The first name of each class. */
const NAMES = classes.names.map((names) => {
  const [first = ''] = names.split(', ');
  return USUAL_NAMES[first] ?? first;
});
const GROUPS = Object.entries(classes.groups);
const BEST = 5;

export interface Classes {
  /** The most probable classes, best first. */
  classes: NamedProbability[];
  /** Groups by the sum of their classes, best first. */
  groups: NamedProbability[];
}

/** @param probabilities of the 1,000 classes in their order */
export function nameClasses(probabilities: ArrayLike<number>): Classes {
  const best = (named: NamedProbability[]) =>
    named.toSorted((a, b) => b.probability - a.probability).slice(0, BEST);
  return {
    classes: best(NAMES.map((name, at) => ({ name, probability: probabilities[at] ?? 0 }))),
    groups: best(
      GROUPS.map(([name, members]) => ({
        name,
        probability: members.reduce((sum, at) => sum + (probabilities[at] ?? 0), 0),
      })),
    ),
  };
}
