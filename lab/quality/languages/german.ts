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
      questions: [
        'In welchem Jahr wurde der Grundstein für @ gelegt?',
        'Wann haben die Kaufleute mit dem Bau begonnen: @?',
      ],
      fact: 'year',
    },
    {
      heading: 'Eintritt',
      statement: 'Eine Jahreskarte kostet # Cent und wird am Schalter neben dem Tor verkauft.',
      questions: ['Wie viel kostet eine Jahreskarte für @?', 'Was bezahle ich für Jahreskarten im @?'],
      fact: 'number',
    },
    {
      heading: 'Leitung',
      statement: 'Die Leitung hat #, nach langer Suche vom Stadtrat berufen.',
      questions: ['Wer hat die Leitung von @?', 'Wen hat der Stadtrat zur Leitung von @ berufen?'],
      fact: 'person',
    },
    {
      heading: 'Wartung',
      statement:
        'Die Hauptpumpe wird nach jeweils # Betriebsstunden geprüft, wobei die Dichtungen erneuert werden.',
      questions: [
        'Nach wie vielen Betriebsstunden wird die Hauptpumpe von @ geprüft?',
        'Wie oft braucht die Hauptpumpe von @ neue Dichtungen?',
      ],
      fact: 'number',
    },
    {
      heading: 'Maße',
      statement: 'Der große Saal ist # Zentimeter hoch und kommt ohne Säulen aus.',
      questions: ['Wie hoch ist der große Saal von @?', 'Welche Höhe in Zentimetern hat der Saal in @?'],
      fact: 'number',
    },
    {
      heading: 'Notfälle',
      statement: 'Bei Feuer ist die Durchwahl # zu rufen und das Gebäude über die Treppen zu verlassen.',
      questions: [
        'Welche Durchwahl gilt bei Feuer in @?',
        'Welche Nummer rufe ich, wenn in @ ein Feuer ausbricht?',
      ],
      fact: 'number',
    },
    {
      heading: 'Sammlung',
      statement: 'Die Sammlung umfasst # Briefe von Seeleuten, von denen die meisten nie zugestellt wurden.',
      questions: [
        'Wie viele Briefe von Seeleuten umfasst die Sammlung von @?',
        'Wie viele Seemannsbriefe gehören zur Sammlung von @?',
      ],
      fact: 'number',
    },
    {
      heading: 'Verbrauch im Jahr',
      statement: 'Strom in kWh|Wasser in Kubikmetern|Gas in Kubikmetern',
      questions: [
        'Wie viele Kubikmeter Wasser verbraucht @ im Jahr?',
        'Wie hoch ist der jährliche Verbrauch an Wasser von @?',
      ],
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
