import type { Dice } from '../../shared/dice.ts';

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

export function sentence(dice: Dice): string {
  const phrase = (): string =>
    `${dice.fraction() < 0.6 ? `${dice.pick(ADJECTIVES)} ` : ''}${dice.pick(NOUNS)}`;
  const clause = (): string => `${phrase()} ${dice.pick(VERBS)} the ${phrase()}`;
  const tail = dice.fraction() < 0.6 ? ` ${dice.pick(LINKS)} the ${clause()}` : '';
  const number = dice.fraction() < 0.2 ? ` in ${dice.whole(1900, 2020)}` : '';
  return `${dice.pick(OPENERS)} ${clause()}${tail}${number}.`;
}

export function paragraph(dice: Dice, sentences = dice.whole(3, 6)): string {
  return Array.from({ length: sentences }, () => sentence(dice)).join(' ');
}

export function title(dice: Dice, words = dice.whole(2, 4)): string {
  const parts = Array.from({ length: words }, (_, index) => dice.pick(index % 2 === 0 ? ADJECTIVES : NOUNS));
  if (words % 2 === 1) parts.push(dice.pick(NOUNS));
  return parts.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ');
}

export const noun = (dice: Dice): string => dice.pick(NOUNS);
export const phrase = (dice: Dice): string => `${dice.pick(ADJECTIVES)} ${dice.pick(NOUNS)}`;
export const amount = (dice: Dice): string =>
  dice.fraction() < 0.5 ? String(dice.whole(1, 9_999)) : (dice.whole(10, 99_999) / 100).toFixed(2);
