/** The languages of the console, each by its own name. English is in the code, the others are loaded when needed. */
export const LANGUAGES = { en: 'English', de: 'Deutsch', fr: 'Français', es: 'Español' } as const;
export type Language = keyof typeof LANGUAGES;

const KEY = 'darkroom.language';
const CATALOGUES = import.meta.glob<Record<string, string>>('../languages/*.json', { import: 'default' });

/** @returns undefined for what is no language tag, such as `en-US@posix` */
function tagOf(language: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(language)[0];
  } catch {
    return undefined;
  }
}

const baseOf = (tag: string) => tag.split('-')[0] ?? '';
const isLanguage = (name: string): name is Language => Object.hasOwn(LANGUAGES, name);

/** What the browser prefers, without what is no language. */
const preferred = navigator.languages.flatMap((language) => tagOf(language) ?? []);

function choose(): Language {
  const stored = localStorage.getItem(KEY) ?? '';
  return [stored, ...preferred.map(baseOf)].find(isLanguage) ?? 'en';
}

/** Stores the language of this browser, and shows the page in it. */
export function setLanguage(language: Language): void {
  localStorage.setItem(KEY, language);
  // Modules read their texts while they are loaded.
  location.reload();
}

const chosen = choose();
const loaded = await CATALOGUES[`../languages/${chosen}.json`]?.().catch(() => undefined);

/** The language of the texts: English where the catalogue of another cannot be loaded. */
export const LANGUAGE: Language = loaded ? chosen : 'en';

/** What the English texts are in this language; empty in English. */
export const CATALOGUE: Readonly<Record<string, string>> = loaded ?? {};

/** The locale of all formats: that of the texts, of the region that the browser prefers. */
export const LOCALE = preferred.find((tag) => baseOf(tag) === LANGUAGE) ?? LANGUAGE;

document.documentElement.lang = LANGUAGE;
// The chart library gives it to Intl while it is loaded, which throws for what is no language.
Object.defineProperty(navigator, 'language', { value: LOCALE, configurable: true });
