import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readInItsLanguage } from '../../../engines/text-recogniser/choose-languages.ts';
import type { RecognisedWord } from '../../../engines/text-recogniser/text-regions.ts';

const GERMAN =
  'Das langfristige Ziel der Gesellschaft ist es, ein neues und freies Betriebssystem zu entwickeln';
const ENGLISH = 'The elements of a logical vector can have the values true and false, and are often quoted';
const ARABIC = 'تقع المدينة على بعد مئة كيلومتر من البحر، ويسميها أهلها عروس النهر منذ القرن الماضي';
const NOISE = 'eS gael Ls duvall JSI ayasall abl cols, al gaye Lglol';

const words = (text: string, confidence: number): RecognisedWord[][] => [
  text.split(' ').map((word) => ({ text: word, confidence, bbox: { x0: 0, y0: 0, x1: 9, y1: 9 } })),
];

interface Case {
  name: string;
  available: string;
  given?: string;
  /** What each reading would give. */
  readings: Readonly<Record<string, readonly [text: string, confidence: number]>>;
  asked: readonly string[];
  languages: string;
  legible: boolean;
}

const CASES: readonly Case[] = [
  {
    name: 'a text in the first language is read once',
    available: 'eng+deu+ara',
    readings: { eng: [ENGLISH, 93] },
    asked: ['eng'],
    languages: 'eng',
    legible: true,
  },
  {
    name: 'a text whose words are of another language is read in it',
    available: 'eng+deu+ara',
    readings: { eng: [GERMAN, 84], deu: [GERMAN, 92] },
    asked: ['eng', 'deu'],
    languages: 'deu',
    legible: true,
  },
  {
    name: 'its words are not trusted against their confidence',
    available: 'eng+deu',
    readings: { eng: [GERMAN, 84], deu: [GERMAN, 80] },
    asked: ['eng', 'deu'],
    languages: 'eng',
    legible: true,
  },
  {
    name: 'a text in no language with data stays in the most confident one',
    available: 'eng+fra',
    readings: { eng: [GERMAN, 84], fra: [GERMAN, 80] },
    asked: ['eng', 'fra'],
    languages: 'eng',
    legible: true,
  },
  {
    name: 'a text in another script is read in all others, then in its own',
    available: 'eng+deu+ara',
    readings: { eng: [NOISE, 34], 'deu+ara': [ARABIC, 88], ara: [ARABIC, 87] },
    asked: ['eng', 'deu+ara', 'ara'],
    languages: 'ara',
    legible: true,
  },
  {
    name: 'noise is legible in none',
    available: 'eng+deu',
    readings: { eng: ['ll .. |l', 30], deu: ['l| ;;', 25] },
    asked: ['eng', 'deu'],
    languages: 'eng',
    legible: false,
  },
  {
    name: 'given languages are used as they are',
    available: 'eng+deu+fra',
    given: 'deu+fra',
    readings: { 'deu+fra': [ENGLISH, 70] },
    asked: ['deu+fra'],
    languages: 'deu+fra',
    legible: true,
  },
];

for (const { name, available, given, readings, asked, languages, legible } of CASES) {
  test(name, async () => {
    const seen: string[] = [];
    const found = await readInItsLanguage(
      available.split('+'),
      async (wanted) => {
        const key = wanted.join('+');
        seen.push(key);
        const reading = readings[key];
        assert.ok(reading, `read in ${key}`);
        return words(...reading);
      },
      given?.split('+'),
    );
    assert.deepEqual(seen, asked);
    assert.deepEqual([found.languages.join('+'), found.legible], [languages, legible]);
  });
}
