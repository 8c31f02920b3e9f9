/** @returns undefined for what is no language tag, such as `en-US@posix` */
function tagOf(language: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(language)[0];
  } catch {
    return undefined;
  }
}

/** The locale of all formats: as the texts, English, of the region that the browser prefers. */
export const LOCALE =
  navigator.languages.flatMap((language) => tagOf(language) ?? []).find((tag) => /^en\b/.test(tag)) ?? 'en';

// The chart library gives it to Intl while it is loaded, which would throw.
if (tagOf(navigator.language) === undefined) {
  Object.defineProperty(navigator, 'language', { value: LOCALE, configurable: true });
}
