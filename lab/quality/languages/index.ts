import { ENGLISH } from './english.ts';
import { GERMAN } from './german.ts';
import { FRENCH } from './french.ts';
import { SPANISH } from './spanish.ts';
import { ARABIC } from './arabic.ts';
import type { CorpusLanguage } from './corpus-language.ts';

export const LANGUAGES: readonly CorpusLanguage[] = [ENGLISH, GERMAN, FRENCH, SPANISH, ARABIC];
