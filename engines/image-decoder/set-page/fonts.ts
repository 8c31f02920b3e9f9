/** The fonts in which pages are set. They come with packages, and are opened when a text first needs them. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import sharp from 'sharp';

/** In the order in which a letter is looked for. */
export const FAMILIES = 'Noto Sans, Noto Naskh Arabic, Noto Sans Hebrew, Noto Sans Hans, Noto Sans KR';

interface FontPackage {
  package: string;
  files: readonly string[];
  /** Texts that need it. */
  letters: RegExp;
}

const PACKAGES: readonly FontPackage[] = [
  {
    package: '@embedpdf/fonts-latin',
    files: ['NotoSans-Regular.ttf', 'NotoSans-Bold.ttf'],
    letters: /^/,
  },
  {
    package: '@embedpdf/fonts-arabic',
    files: ['NotoNaskhArabic-Regular.ttf', 'NotoNaskhArabic-Bold.ttf'],
    letters: /\p{Script=Arabic}/u,
  },
  {
    package: '@embedpdf/fonts-hebrew',
    files: ['NotoSansHebrew-Regular.ttf', 'NotoSansHebrew-Bold.ttf'],
    letters: /\p{Script=Hebrew}/u,
  },
  {
    package: '@embedpdf/fonts-sc',
    files: ['NotoSansHans-Regular.otf'],
    letters:
      /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}\u3000-\u303f\uff00-\uffef]/u,
  },
  { package: '@embedpdf/fonts-kr', files: ['NotoSansKR-Regular.otf'], letters: /\p{Script=Hangul}/u },
];

/** Letters of other scripts, and pictures in colour: no font of these has them. */
const OTHERS =
  /[^\p{Script=Common}\p{Script=Inherited}\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Devanagari}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}\p{Script=Hangul}]|\p{Emoji_Presentation}/u;

/** Whether a text has letters that are shown as empty boxes. */
export const hasUnknownLetters = (text: string): boolean => OTHERS.test(text);

const opened = new Set<FontPackage>();

/** Opens the fonts that a text needs and that are not open yet. */
export async function openFonts(text: string): Promise<void> {
  for (const one of PACKAGES) {
    if (opened.has(one) || !one.letters.test(text)) continue;
    const folder = join(dirname(createRequire(import.meta.url).resolve(one.package)), '../fonts');
    for (const file of one.files) {
      await sharp({ text: { text: '.', font: FAMILIES, fontfile: join(folder, file) } })
        .raw()
        .toBuffer();
    }
    opened.add(one);
  }
}
