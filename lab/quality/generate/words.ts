import type { Random } from './random.ts';

const NOUNS =
  'river harbour engine council library market valley bridge report survey garden winter station village forest island machine teacher kitchen journey window captain mountain railway hospital quarter contract interest material pressure temperature measurement observation government development environment equipment transport production population company laboratory instrument'.split(
    ' ',
  );
const VERBS =
  'describes follows improves changes supports measures reaches crosses explains controls prepares receives collects protects replaces connects observes considers'.split(
    ' ',
  );
const ADJECTIVES =
  'large quiet northern early public careful modern ordinary narrow important different several regional independent considerable international remarkable particular necessary'.split(
    ' ',
  );
const OPENERS = 'The A This Each Every Another'.split(' ');
const LINKS = 'and while because although near under after before without through'.split(' ');

export function sentence(random: Random): string {
  const phrase = (): string =>
    `${random.next() < 0.6 ? `${random.pick(ADJECTIVES)} ` : ''}${random.pick(NOUNS)}`;
  const clause = (): string => `${phrase()} ${random.pick(VERBS)} the ${phrase()}`;
  const tail = random.next() < 0.6 ? ` ${random.pick(LINKS)} the ${clause()}` : '';
  const number = random.next() < 0.2 ? ` in ${random.between(1900, 2020)}` : '';
  return `${random.pick(OPENERS)} ${clause()}${tail}${number}.`;
}

export function paragraph(random: Random, sentences = random.between(3, 6)): string {
  return Array.from({ length: sentences }, () => sentence(random)).join(' ');
}

export function title(random: Random, words = random.between(2, 4)): string {
  const parts = Array.from({ length: words }, (_, index) =>
    random.pick(index % 2 === 0 ? ADJECTIVES : NOUNS),
  );
  if (words % 2 === 1) parts.push(random.pick(NOUNS));
  return parts.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ');
}

export const noun = (random: Random): string => random.pick(NOUNS);
export const phrase = (random: Random): string => `${random.pick(ADJECTIVES)} ${random.pick(NOUNS)}`;
export const amount = (random: Random): string =>
  random.next() < 0.5 ? String(random.between(1, 9_999)) : (random.between(10, 99_999) / 100).toFixed(2);
