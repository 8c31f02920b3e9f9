import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { detectLanguage } from 'darkroom-reader/language';
import {
  type DetectLanguage,
  languageOfDocument,
  languageOfPart,
} from '../../../engines/text-work/text-language.ts';

const detect: DetectLanguage = (text, among) => detectLanguage(text, undefined, among);

const PROSE = {
  en: 'The pump must not run without water, because its seal is cooled by the water that it moves. If the tank is empty, the motor stops after a minute and has to be started by hand.',
  de: 'Die Pumpe darf nicht ohne Wasser laufen, weil ihre Dichtung durch das Wasser gekühlt wird, das sie fördert. Wenn der Tank leer ist, hält der Motor nach einer Minute an und muss von Hand gestartet werden.',
  fr: "La pompe ne doit pas tourner sans eau, parce que son joint est refroidi par l'eau qu'elle transporte. Si le réservoir est vide, le moteur s'arrête au bout d'une minute et il faut le remettre en marche à la main.",
  es: 'La bomba no debe funcionar sin agua, porque su junta se enfría con el agua que mueve. Si el depósito está vacío, el motor se para después de un minuto y hay que ponerlo en marcha a mano.',
  da: 'Pumpen må ikke køre uden vand, fordi pakningen bliver kølet af det vand, som den flytter. Hvis tanken er tom, stopper motoren efter et minut og skal startes med hånden, når der igen er vand i den.',
  pl: 'Pompa nie może pracować bez wody, ponieważ jej uszczelka jest chłodzona wodą, którą przenosi. Jeśli zbiornik jest pusty, silnik zatrzymuje się po minucie i trzeba go ponownie uruchomić ręcznie.',
  ru: 'Насос не должен работать без воды, потому что его уплотнение охлаждается водой, которую он перекачивает. Если бак пуст, двигатель останавливается через минуту.',
  zh: '水泵不得在无水的情况下运行，因为它的密封件由它所输送的水冷却。如果水箱是空的，电机在一分钟后停止，必须用手重新启动。',
};
const CODE =
  'dpkg-source -x gentoo_0.9.12.orig.tar.gz; cd gentoo-0.9.12; dh_make -f ../gentoo.tar.gz; debuild -us -uc; lintian -i gentoo_0.9.12-1_amd64.changes; dput ftp-master gentoo.changes; export DEBFULLNAME EMAIL; echo $PATH; make install prefix=/usr DESTDIR=debian/tmp';
const NAMES =
  'Josip Rodin, Osamu Aoki, Helge Kreutzmann, Tobias Quathamer, Erik Schanze, Innocent De Marchi, Philipp Matthias Hahn, Craig Small, Raphael Hertzog, Adrian von Bidder, Will Lowe, James Troup, Oliver Elphick, Ramakrishnan Muthukrishnan, Bas Zoetekouw, Santiago Vila';

test('a part has the language of its document, unless its running text or its script is clearly another', () => {
  const cases: [part: string, document: string | null, expected: string | null][] = [
    [PROSE.en, 'en', 'en'],
    [PROSE.de, 'en', 'de'],
    [PROSE.en, 'de', 'en'],
    [PROSE.fr, 'es', 'fr'],
    [PROSE.es, 'fr', 'es'],
    [PROSE.da, 'en', 'da'],
    // Closely related languages share most function words.
    [PROSE.da, 'no', 'no'],
    [PROSE.en, 'pl', 'en'],
    // Without a dictionary, there is nothing to gain.
    [PROSE.pl, 'en', 'en'],
    [PROSE.ru, 'en', 'ru'],
    [PROSE.zh, 'de', 'zh'],
    [PROSE.en, 'ru', 'en'],
    [CODE, 'en', 'en'],
    [CODE, 'fr', 'fr'],
    [CODE, 'ru', 'ru'],
    [NAMES, 'de', 'de'],
    ['Der Tank ist leer.', 'en', 'en'],
    ['Москва', 'en', 'en'],
    // A quotation does not change the language of its context.
    [`${PROSE.de} «${PROSE.en.slice(0, 90)}»`, 'de', 'de'],
    [`${PROSE.de}\n\n${PROSE.en}`, 'de', 'de'],
    [`${PROSE.de}\n\n${PROSE.en}`, 'en', 'en'],
    [PROSE.de, null, 'de'],
    [CODE, null, null],
    ['', 'en', 'en'],
  ];
  for (const [part, document, expected] of cases)
    assert.equal(languageOfPart(part, document, detect), expected, `${part.slice(0, 30)} in ${document}`);
});

test('the language of a document is that of most of its prose, not of its beginning', () => {
  const many = (text: string, times: number) => Array.from({ length: times }, () => text);
  const cases: [texts: string[], stated: string | null, expected: string | null][] = [
    [[...many(CODE, 20), ...many(PROSE.de, 20)], 'en', 'de'],
    [[...many(NAMES, 20), ...many(PROSE.fr, 20)], null, 'fr'],
    [[...many(PROSE.en, 5), ...many(PROSE.es, 40)], 'en', 'es'],
    [[...many(PROSE.en, 5), ...many(PROSE.ru, 40)], 'en', 'ru'],
    [many(PROSE.zh, 10), null, 'zh'],
    [many(PROSE.pl, 10), null, 'pl'],
    [many(PROSE.da, 10), 'no', 'da'],
    // No evidence.
    [many(CODE, 20), 'de', 'de'],
    [many(NAMES, 20), null, null],
    [[], 'fr', 'fr'],
  ];
  for (const [texts, stated, expected] of cases)
    assert.equal(languageOfDocument(texts, stated, detect), expected, String(texts[0]?.slice(0, 30)));
});

test('code, numbers and letters of any kind have the language of their document', () => {
  const noise = fc.stringMatching(/^[A-Za-z0-9_$(){};=.\-/ ]{0,400}$/);
  fc.assert(
    fc.property(noise, fc.constantFrom('en', 'de', 'ru', null), (text, document) => {
      assert.equal(languageOfPart(text, document, detect), document);
    }),
  );
});

test('a detector that knows nothing leaves what the function words tell', () => {
  const knowsNothing: DetectLanguage = () => null;
  assert.equal(languageOfPart(PROSE.de, 'en', knowsNothing), 'de');
  assert.equal(languageOfPart(PROSE.ru, 'en', knowsNothing), 'en');
  assert.equal(languageOfDocument([PROSE.fr], null, knowsNothing), 'fr');
});
