/** Characters that Unicode has raised and lowered; letters that occur alone, as of a power or an index. */
const RAISED = pairs(
  '0123456789+-−=()abcdefghijklmnoprstuvwxyz',
  '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ªᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿºᵖʳˢᵗᵘᵛʷˣʸᶻ',
);
const LOWERED = pairs('0123456789+-−=()aehijklmnoprstuvx', '₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ');
/** Signs between numbers, and the marks of a text as it is read, which stay as they are. */
const KEPT = /[\s,.;/–*†‡'′\uFDD0-\uFDEF]/u;
const WORD = /\p{L}\s?\p{L}/u;
/** An element or a group of them, after which a lowered number is written as people type it: H2O, Ca(OH)2. */
const CHEMICAL = /(?:[A-Z][a-z]?|[)\]])$/;

/**
 * Raised text in characters that keep what it says: 10⁶, m², a note's ¹. A word, such as the letters of 1st, and a mark
 * that shows itself, such as [1], stay as they are.
 */
export const raised = (text: string): string => converted(text, RAISED);

/** Lowered text likewise: log₂, xᵢ. @param before the text that it follows */
export function lowered(text: string, before: string): string {
  return CHEMICAL.test(before) && /^\d+$/.test(text) ? text : converted(text, LOWERED);
}

function converted(text: string, forms: ReadonlyMap<string, string>): string {
  const letters = [...text];
  const isKnown = letters.every((letter) => forms.has(letter) || KEPT.test(letter));
  return isKnown && !WORD.test(text) ? letters.map((letter) => forms.get(letter) ?? letter).join('') : text;
}

function pairs(plain: string, forms: string): ReadonlyMap<string, string> {
  const found = [...forms];
  return new Map([...plain].map((letter, at) => [letter, found[at] ?? letter]));
}
