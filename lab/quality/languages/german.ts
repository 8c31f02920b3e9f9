import type { CorpusLanguage } from './corpus-language.ts';

export const GERMAN: CorpusLanguage = {
  code: 'de',
  names: [
    'Museum Altenburg',
    'Leuchtturm Wangersiel',
    'Bibliothek Kelheim',
    'Mühle Tarnow',
    'Sternwarte Alzey',
    'Hafen Brunsbek',
    'Archiv Zwiesel',
    'Krankenhaus Lengerich',
    'Brauerei Pfullingen',
    'Wasserwerk Ostheim',
    'Theater Meldorf',
    'Gärtnerei Buxheim',
  ],
  persons: [
    'Sabine Kröger',
    'Matthias Vogt',
    'Elke Brandauer',
    'Jürgen Pohlmann',
    'Katrin Seidel',
    'Dieter Hollweg',
    'Ulrike Mangold',
    'Bernd Osterloh',
    'Renate Fuchsberg',
    'Holger Tiemann',
    'Anja Weidlich',
    'Konrad Schäfer',
  ],
  topics: [
    {
      heading: 'Geschichte',
      statement:
        'Der Grundstein wurde im Jahr # von Kaufleuten der Stadt gelegt, obwohl der Bau zweimal wegen Geldmangels ruhen musste.',
      fact: 'year',
    },
    {
      heading: 'Eintritt',
      statement: 'Eine Jahreskarte kostet # Cent und wird am Schalter neben dem Tor verkauft.',
      fact: 'number',
    },
    {
      heading: 'Leitung',
      statement: 'Die Leitung hat #, nach langer Suche vom Stadtrat berufen.',
      fact: 'person',
    },
    {
      heading: 'Wartung',
      statement:
        'Die Hauptpumpe wird nach jeweils # Betriebsstunden geprüft, wobei die Dichtungen erneuert werden.',
      fact: 'number',
    },
    {
      heading: 'Maße',
      statement: 'Der große Saal ist # Zentimeter hoch und kommt ohne Säulen aus.',
      fact: 'number',
    },
    {
      heading: 'Notfälle',
      statement: 'Bei Feuer ist die Durchwahl # zu rufen und das Gebäude über die Treppen zu verlassen.',
      fact: 'number',
    },
    {
      heading: 'Sammlung',
      statement: 'Die Sammlung umfasst # Briefe von Seeleuten, von denen die meisten nie zugestellt wurden.',
      fact: 'number',
    },
    {
      heading: 'Verbrauch im Jahr',
      statement: 'Strom in kWh|Wasser in Kubikmetern|Gas in Kubikmetern',
      fact: 'number',
    },
  ],
  filler: [
    'Der Ausschuss hat lange darüber beraten und will im Frühling darauf zurückkommen.',
    'Die meisten Besucher kommen zu Fuß, weil die Straße am Fluss sehr schmal ist.',
    'Ein Bericht dazu liegt vor und wird auf Wunsch kostenlos verschickt.',
    'Mehrere Nachbarn haben ihre Hilfe bei der Arbeit im Garten angeboten.',
    'Die Fenster auf der nördlichen Seite sind vor einiger Zeit ersetzt worden.',
    'Die Meinungen gehen auseinander, doch niemand hat bisher etwas Besseres vorgeschlagen.',
    'Die Wege werden jeden Morgen gefegt, auch im Winter.',
    'Eine kleine Küche bietet den Wartenden Tee, Suppe und Brot an.',
    'Fotografieren ist erlaubt, solange sich niemand gestört fühlt.',
    'Weitere Fragen beantworten die Angestellten am Eingang gern.',
    'Das Dach ist seit dem letzten großen Sturm wieder dicht.',
    'Schulen kommen vormittags, Familien eher am Nachmittag.',
  ],
};
