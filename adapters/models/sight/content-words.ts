import type { ContentCategory } from '../../../domain/content-categories.ts';
import type { DetectedObject } from '../../../domain/image-analysis.ts';
import { areaOf } from './find-objects.ts';
import type { Classes, NamedProbability } from './image-classes.ts';
import type { Seen } from './thread.ts';

/** What may be said of an image, with few errors. */
export interface Content {
  objects: DetectedObject[];
  /** Names of classes and groups, surest first. */
  looksLike: string[];
}

/** Chosen so that little is said, and nothing wrong of the pictures at hand; see decision 524. */
const SURE_OBJECT = 0.7;
/** People are what the detector knows best. */
const SURE_PERSON = 0.6;
const SURE_CLASS = 0.6;
const SURE_GROUP = 0.5;
/** Whales look like fish, and fruit of no class like vegetables. */
const SURE_GROUPS: Readonly<Record<string, number>> = { fish: 0.7, vegetable: 0.7 };
/** Breeds and species are told apart less well than their kind, and so are these. */
const SURE_SPECIES = 0.85;
const TOLD_APART_LESS = new Set(['clothing', 'flower', 'vegetable']);
/** Drawings, charts and screenshots are not what the models were trained on. */
const SURE_IN_GRAPHIC = 0.9;
/** Of the image; an animal or a thing that fills more of it than this is what the classifier sees, too. */
const LARGE = 0.25;
const ANIMALS = new Set(
  'antelope,ape,bear,big cat,bird,bison,butterfly,camel,cat,cattle,crab,crocodile,dog,elephant,fish,fox,frog,goat,hippopotamus,horse,insect,jellyfish,lemur,lizard,llama,lobster,marsupial,monkey,panda,pig,rabbit,rodent,salamander,seal,sheep,snail,snake,spider,starfish,turtle,weasel,whale,wild dog,wolf'.split(
    ',',
  ),
);
const DETECTED_ANIMALS = new Set('bird,cat,dog,horse,sheep,cow,elephant,bear,zebra,giraffe'.split(','));
/** The group of a detected animal, where it has another name. */
const GROUP_OF: Readonly<Record<string, string>> = { cow: 'cattle', zebra: 'horse' };

/** @param graphic whether the image is no photograph */
export function contentOf({ classes, groups, objects }: Seen, { graphic }: { graphic: boolean }): Content {
  const [least, leastGroup, leastObject] = graphic
    ? [SURE_IN_GRAPHIC, SURE_IN_GRAPHIC, SURE_IN_GRAPHIC]
    : [SURE_CLASS, SURE_GROUP, SURE_OBJECT];
  const sureGroups = groups
    .filter(({ name, probability }) => probability >= Math.max(leastGroup, SURE_GROUPS[name] ?? 0))
    .map(({ name }) => name);
  // Also an animal that is not sure enough to be named.
  const animal = groups.find(({ name, probability }) => probability >= leastGroup && ANIMALS.has(name))?.name;
  const isSpecies = animal !== undefined || sureGroups.some((name) => TOLD_APART_LESS.has(name));
  const leastClass = isSpecies ? Math.max(least, SURE_SPECIES) : least;
  const sureClasses = classes.filter(({ probability }) => probability >= leastClass).map(({ name }) => name);
  return {
    objects: objects.filter(
      (object) =>
        object.score >= (object.label === 'person' && !graphic ? SURE_PERSON : leastObject) &&
        !contradicts(object.label, areaOf(object.box), animal) &&
        isSupported(object, { classes, groups }),
    ),
    looksLike: [...new Set([...sureClasses, ...sureGroups])],
  };
}

/** The detector knows ten animals, and takes others for these or for things. */
function contradicts(label: string, area: number, animal: string | undefined): boolean {
  if (animal === undefined || label === 'person') return false;
  if (DETECTED_ANIMALS.has(label)) return (GROUP_OF[label] ?? label) !== animal;
  return area > LARGE;
}

/** Classes and groups in which the classifier sees what the detector has this name for; it knows no other of the names. */
const SEEN_AS: Readonly<Record<string, readonly string[]>> = {
  airplane: ['aircraft'],
  apple: ['apple'],
  backpack: ['backpack'],
  banana: ['banana'],
  bear: ['bear'],
  bicycle: ['bicycle'],
  bird: ['bird'],
  boat: ['boat'],
  book: ['comic book', 'book jacket', 'menu'],
  bottle: ['drink'],
  bowl: ['food', 'mixing bowl', 'soup bowl'],
  broccoli: ['broccoli'],
  bus: ['bus'],
  cake: ['trifle', 'chocolate sauce', 'ice cream'],
  car: ['car', 'truck'],
  carrot: ['vegetable'],
  cat: ['cat'],
  clock: ['clock'],
  'cell phone': ['cellular telephone', 'iPod'],
  cow: ['cattle'],
  cup: ['drink'],
  dog: ['dog', 'wild dog'],
  donut: ['bagel', 'dough'],
  elephant: ['elephant'],
  handbag: ['purse', 'mailbag'],
  horse: ['horse'],
  'hot dog': ['hotdog'],
  keyboard: ['computer keyboard', 'typewriter keyboard'],
  laptop: ['laptop', 'notebook'],
  microwave: ['microwave'],
  motorcycle: ['motorcycle'],
  mouse: ['mouse'],
  orange: ['orange'],
  oven: ['stove', 'rotisserie', 'microwave'],
  pizza: ['pizza'],
  refrigerator: ['refrigerator'],
  remote: ['remote control'],
  sandwich: ['cheeseburger', 'hotdog', 'French loaf'],
  sheep: ['sheep'],
  'sports ball': ['ball'],
  'stop sign': ['street sign'],
  'teddy bear': ['teddy'],
  'tennis racket': ['racket'],
  tie: ['clothing'],
  toilet: ['toilet seat'],
  train: ['train'],
  truck: ['truck', 'car'],
  tv: ['screen', 'television'],
  umbrella: ['umbrella'],
  vase: ['vase'],
  'wine glass': ['drink'],
  zebra: ['horse'],
};
/** What fills much of an image, with other things in front of it; the classifier sees those. */
const IN_SCENES = new Set(['person', 'bed', 'bench', 'chair', 'couch', 'dining table', 'potted plant']);
/** Pots of any size are taken for vases, round things for frisbees, and what stands out against the sky for umbrellas. */
const MISTAKEN = new Set(['frisbee', 'umbrella', 'vase']);
/** Any leaf is taken for one of these; with the probability that tells their kinds apart. */
const SPECIES = new Set(['broccoli', 'carrot']);
/** The score of a large object of which the classifier knows nothing. */
const SURE_ALONE = 0.95;
/** The detector is sure of many things that it has never seen: of a slug that it is a bird, of a rabbit that it is one. */
const LEAST_SUPPORT = 0.15;

/** Whether the classifier also sees what fills much of an image, by names that both know. */
function isSupported({ label, score, box }: DetectedObject, { classes, groups }: Classes): boolean {
  if ((areaOf(box) <= LARGE && !MISTAKEN.has(label)) || IN_SCENES.has(label)) return true;
  const names = SEEN_AS[label];
  if (names === undefined) return score >= SURE_ALONE;
  const support = Math.max(
    0,
    ...[...classes, ...groups]
      .filter(({ name }) => names.includes(name))
      .map(({ probability }) => probability),
  );
  // Any animal gets some probability of each of the others.
  const best = DETECTED_ANIMALS.has(label)
    ? Math.max(0, ...groups.filter(({ name }) => ANIMALS.has(name)).map(({ probability }) => probability))
    : 0;
  return support >= Math.max(SPECIES.has(label) ? SURE_SPECIES : LEAST_SUPPORT, best);
}

/** Other words under which people look for a thing; true of all of its kind, since they are shown as tags. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  aircraft: ['plane', 'airplane', 'aeroplane'],
  airplane: ['plane', 'aircraft', 'aeroplane'],
  automobile: ['car'],
  backpack: ['rucksack'],
  'bell pepper': ['pepper'],
  bicycle: ['bike'],
  boat: ['ship'],
  car: ['automobile', 'auto'],
  cat: ['kitty'],
  cattle: ['cow'],
  'cell phone': ['mobile phone', 'smartphone', 'cellphone'],
  'cellular telephone': ['cell phone', 'mobile phone', 'smartphone', 'cellphone'],
  cheeseburger: ['hamburger', 'burger'],
  'coffee mug': ['cup'],
  'computer keyboard': ['keyboard'],
  corn: ['maize', 'sweetcorn'],
  couch: ['sofa', 'settee'],
  cup: ['mug'],
  'desktop computer': ['pc'],
  'dining table': ['table'],
  dog: ['doggy'],
  donut: ['doughnut'],
  drink: ['beverage'],
  'fire engine': ['fire truck'],
  flower: ['blossom'],
  'French loaf': ['bread', 'baguette'],
  handbag: ['purse'],
  'head cabbage': ['cabbage'],
  hotdog: ['hot dog'],
  insect: ['bug'],
  jean: ['jeans', 'trousers', 'pants'],
  laptop: ['computer', 'notebook'],
  motorcycle: ['motorbike'],
  mushroom: ['fungus'],
  person: ['people'],
  'potted plant': ['plant', 'houseplant'],
  rabbit: ['bunny'],
  refrigerator: ['fridge'],
  remote: ['remote control'],
  'running shoe': ['trainers', 'sneakers'],
  screen: ['monitor', 'display'],
  'soccer ball': ['football'],
  'sports ball': ['ball'],
  'street sign': ['road sign', 'traffic sign'],
  'stop sign': ['road sign', 'traffic sign'],
  sunglasses: ['glasses'],
  'teddy bear': ['teddy', 'toy'],
  'toilet seat': ['toilet'],
  truck: ['lorry'],
  tv: ['television', 'screen'],
  vacuum: ['vacuum cleaner', 'hoover'],
  violin: ['fiddle'],
  'wine glass': ['glass'],
};

/** Keywords, with synonyms; not cleaned yet. */
export function contentTags({ objects, looksLike }: Content): string[] {
  const words = [...objects.map(({ label }) => label), ...looksLike];
  return [...new Set([...words, ...words.flatMap((word) => SYNONYMS[word] ?? [])])];
}

/** For example "Shows a cup and two people; looks like coffee, food."; empty if nothing is sure. */
export function contentSentence({ objects, looksLike }: Content): string {
  const counts = new Map<string, number>();
  for (const { label } of objects) counts.set(label, (counts.get(label) ?? 0) + 1);
  const others = looksLike.filter((name) => !counts.has(name));
  const shown = [...counts].map(([label, count]) =>
    count === 1 ? withArticle(label) : several(label, count),
  );
  const parts = [
    shown.length > 0 && `shows ${new Intl.ListFormat('en', { type: 'conjunction' }).format(shown)}`,
    others.length > 0 && `looks like ${others.join(', ')}`,
  ].filter((part) => part !== false);
  const sentence = parts.join('; ');
  return sentence === '' ? '' : `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`;
}

const NUMBERS = ['', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
/** Objects that are named in the plural anyway. */
const PLURALS = new Set(['scissors', 'skis']);
const IRREGULAR: Readonly<Record<string, string>> = { knife: 'knives', person: 'people', sheep: 'sheep' };

function withArticle(label: string): string {
  if (PLURALS.has(label)) return label;
  return `${/^[aeiou]/.test(label) ? 'an' : 'a'} ${label}`;
}

function several(label: string, count: number): string {
  const plural =
    IRREGULAR[label] ?? (PLURALS.has(label) ? label : `${label}${/(?:s|sh|ch|x)$/.test(label) ? 'es' : 's'}`);
  return `${NUMBERS[count] ?? 'many'} ${plural}`;
}

/** The same of several pictures of one film: what is sure in any of them. */
export function combineContents(contents: readonly Content[]): Content {
  const labels = new Map<string, DetectedObject>();
  for (const object of contents.flatMap(({ objects }) => objects))
    if ((labels.get(object.label)?.score ?? 0) < object.score) labels.set(object.label, object);
  return {
    objects: [...labels.values()],
    looksLike: [...new Set(contents.flatMap(({ looksLike }) => looksLike))],
  };
}

/** Classes of ImageNet that decide a category. */
const CATEGORY_OF_CLASS: Readonly<Record<string, 'screenshot' | 'artwork' | 'document'>> = {
  screenshot: 'screenshot',
  'comic book': 'artwork',
  menu: 'document',
};
const ROOM = new Set('bed,couch,dining table,oven,refrigerator,sink,toilet,microwave'.split(','));
const LEAST_CATEGORY = 0.6;

/** The category that what was seen decides; undefined if it does not. */
export function categoryOf({ classes, objects }: Seen): ContentCategory | undefined {
  const [best] = classes as readonly (NamedProbability | undefined)[];
  if (best && best.probability >= LEAST_CATEGORY) {
    const category = CATEGORY_OF_CLASS[best.name];
    if (category) return category;
  }
  const furniture = objects.filter(({ label, score }) => score >= LEAST_CATEGORY && ROOM.has(label));
  return new Set(furniture.map(({ label }) => label)).size > 1 ? 'real_estate' : undefined;
}
