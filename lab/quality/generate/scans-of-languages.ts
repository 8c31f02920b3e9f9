/** Scanned pages in languages other than English, with their usual quotation marks, accents and digits. */
import { StandardFonts } from 'pdf-lib';
import type { CorpusLanguage } from '../languages/corpus-language.ts';
import { ARABIC } from '../languages/arabic.ts';
import { FRENCH } from '../languages/french.ts';
import { GERMAN } from '../languages/german.ts';
import { SPANISH } from '../languages/spanish.ts';
import type { Group, QualityDocument } from '../truth.ts';
import { createComposer, DESIGN, type Design } from './composer.ts';
import { createDice, type Dice } from '../../shared/dice.ts';
import { scan, type ScanDesign } from './scan.ts';

interface Script {
  group: Group;
  /** The language code for the recogniser. */
  language: string;
  /** Sentences with characters that English lacks: one half for each split. */
  marked: readonly string[];
}

const SCRIPTS: Readonly<Record<string, Script>> = {
  de: {
    group: 'German scan',
    language: 'deu',
    marked: [
      'Man nennt ihn „das Größte weit und breit“, obwohl Öfen, Türen und Fußböden längst ›ausgedient‹ haben.',
      'Der Preis beträgt 1.250,50 € (einschließlich 19 % Umsatzsteuer) – zahlbar bis zum 31. März.',
      '„Überall Äpfel!“, rief der Müller; seine Straße heißt seither »Apfelgäßchen« und nicht mehr Südweg.',
      'Geöffnet von 8:30 bis 17 Uhr, außer an Feiertagen – Führungen für Schüler kosten 2,80 €.',
    ],
  },
  fr: {
    group: 'French scan',
    language: 'fra',
    marked: [
      'On l’appelle « la plus belle des forêts », où l’été dernier même les chênes ont brûlé çà et là.',
      'Le prix s’élève à 1 250,50 € (taxes comprises) ; dès le 1er août, l’hôtel rouvrira, paraît-il.',
      '« Où êtes-vous né ? » demanda le maître d’œuvre au garçon, qui répondit aussitôt : « À Nîmes ! »',
      'Ouvert de 8 h 30 à 17 h, sauf à Noël ; les élèves payent 2,80 €, goûter et café inclus.',
    ],
  },
  es: {
    group: 'Spanish scan',
    language: 'spa',
    marked: [
      '¿Quién preguntó por el señor Muñoz? «El próximo miércoles —dijo— volverá con los niños».',
      'El precio asciende a 1.250,50 € (impuestos incluidos); ¡las plazas se agotarán rápidamente!',
      '¡Qué sorpresa! La cigüeña «más vieja del pueblo» anidó también este año en el último árbol.',
      'Abierto de 8:30 a 17 h, excepto en Año Nuevo; según el guía, el túnel mide 280 metros.',
    ],
  },
  ar: {
    group: 'Arabic scan',
    language: 'ara',
    marked: [
      'تقع المدينة على بعد 120 كيلومترا من البحر، ويسميها أهلها «عروس النهر» منذ عام 1874.',
      'هل تفتح المكتبة يوم الجمعة؟ نعم، من الساعة 9 إلى الساعة 17؛ والدخول مجاني للأطفال.',
      'قال الحارس: «أغلق الباب الكبير قبل المساء»، ثم مضى إلى بيته القديم قرب الجسر.',
      'بلغ عدد الزوار 4300 زائر في السنة الماضية، أي أكثر مما توقعه الجميع؛ فهل يستمر ذلك؟',
    ],
  },
};
const DEJAVU: Partial<Design> = { regular: 'DejaVuSerif.ttf', bold: 'DejaVuSerif-Bold.ttf', size: 9.5 };
const TIMES: Partial<Design> = {
  regular: StandardFonts.TimesRoman,
  bold: StandardFonts.TimesRomanBold,
  size: 11,
};
const RIGHT_TO_LEFT: Partial<Design> = {
  regular: 'DejaVuSans.ttf',
  bold: 'DejaVuSans-Bold.ttf',
  rightToLeft: true,
};
const LANGUAGES: readonly CorpusLanguage[] = [GERMAN, FRENCH, SPANISH, ARABIC];
const CLEAN: ScanDesign = { dpi: 200, skew: 0, noise: 0, blur: 0 };

/** One scanned page per language, limited to names that contain `only`. */
export async function scansOfLanguages(
  split: 'development' | 'held-out',
  only: string,
): Promise<QualityDocument[]> {
  const half = split === 'development' ? 0 : 1;
  const documents: QualityDocument[] = [];
  for (const [at, language] of LANGUAGES.entries()) {
    const script = SCRIPTS[language.code];
    const name = language.names[half * 6] ?? '';
    if (!script || !name.includes(only)) continue;
    const dice = createDice(5_001 + at + half * 300);
    const latin = half === 0 ? TIMES : DEJAVU;
    const design =
      language.code === 'ar' ? { ...RIGHT_TO_LEFT, size: 12 - half } : { ...latin, hyphenated: true };
    const { bytes, truth } = await write(language, script, design, half, dice);
    documents.push({
      name,
      group: script.group,
      type: 'pdf',
      language: script.language,
      bytes: await scan(bytes, CLEAN, at + 1, 1),
      truth,
    });
  }
  return documents;
}

async function write(
  { names, topics, filler, persons }: CorpusLanguage,
  { marked }: Script,
  design: Partial<Design>,
  half: number,
  dice: Dice,
) {
  const composer = await createComposer({ ...DESIGN, ...design });
  const sentences = (count: number): string =>
    Array.from({ length: count }, (_, index) => filler[(index * 5 + dice.whole(0, 11)) % filler.length])
      .filter((sentence, index, all) => all.indexOf(sentence) === index)
      .join(' ');
  composer.heading(1, names[half * 6] ?? '');
  composer.paragraph(`${sentences(3)} ${marked[half * 2] ?? ''}`);
  for (const [index, { heading, statement, fact }] of topics.slice(0, 4).entries()) {
    if (statement.includes('|')) continue;
    const value = fact === 'person' ? (persons[half * 6] ?? '') : String(dice.whole(1_100, 1_990));
    composer.heading(2, heading);
    composer.paragraph(`${statement.replace('#', value)} ${sentences(2)}`);
    if (index === 1) composer.list(topics.slice(5, 8).map((topic) => ({ text: topic.heading, depth: 0 })));
  }
  composer.paragraph(`${marked[half * 2 + 1] ?? ''} ${sentences(3)}`);
  return composer.finish();
}
