import type { CorpusLanguage } from './corpus-language.ts';

export const ENGLISH: CorpusLanguage = {
  code: 'en',
  names: [
    'Marlow Museum',
    'Whitby Lighthouse',
    'Sennen Harbour',
    'Kelso Library',
    'Tarbert Mill',
    'Alston Observatory',
    'Ludlow Archive',
    'Penrith Hospital',
    'Dunbar Brewery',
    'Corfe Waterworks',
    'Selby Theatre',
    'Thirsk Nursery',
  ],
  persons: [
    'Edith Hargrave',
    'Martin Quill',
    'Joan Pemberton',
    'Oliver Stead',
    'Clara Whitlock',
    'Henry Ashdown',
    'Ruth Calloway',
    'Peter Lindqvist',
    'Agnes Thornbury',
    'Simon Varley',
    'Nora Beckwith',
    'Hugh Merrick',
  ],
  topics: [
    {
      heading: 'History',
      statement:
        'The foundation stone was laid in the year # by merchants of the town, although building had to stop twice for want of money.',
      questions: [
        'In which year was the foundation stone of @ laid?',
        'When did the merchants begin building @?',
      ],
      fact: 'year',
    },
    {
      heading: 'Tickets',
      statement: 'An annual pass costs # pence and is sold at the desk beside the gate.',
      questions: ['How much is an annual pass for @?', 'What do I pay for a yearly pass to @?'],
      fact: 'number',
    },
    {
      heading: 'Management',
      statement: 'The director is #, who was appointed by the council after a long search.',
      questions: ['Who is the director of @?', 'Whom did the council appoint to manage @?'],
      fact: 'person',
    },
    {
      heading: 'Maintenance',
      statement:
        'The main pump is inspected after every # hours of operation, and its seals are then renewed.',
      questions: [
        'After how many hours of operation is the main pump of @ inspected?',
        'How often does the pump at @ need new seals?',
      ],
      fact: 'number',
    },
    {
      heading: 'Dimensions',
      statement: 'The great hall is # centimetres high and has no pillars.',
      questions: ['How high is the great hall of @?', 'What is the height of the hall in @?'],
      fact: 'number',
    },
    {
      heading: 'Emergencies',
      statement: 'In case of fire, dial extension # and leave the building by the stairs.',
      questions: [
        'Which extension must be dialled in case of fire at @?',
        'What number do I call when something burns in @?',
      ],
      fact: 'number',
    },
    {
      heading: 'Collection',
      statement: 'The collection holds # letters of sailors, most of which were never delivered.',
      questions: [
        'How many letters of sailors does the collection of @ hold?',
        'How many letters from seamen are kept at @?',
      ],
      fact: 'number',
    },
    {
      heading: 'Consumption in a year',
      statement: 'Electricity in kWh|Water in cubic metres|Gas in cubic metres',
      questions: [
        'How much water in cubic metres does @ consume in a year?',
        'What is the yearly consumption of water of @?',
      ],
      fact: 'number',
    },
  ],
  filler: [
    'The committee discussed this at length and agreed to return to it in the spring.',
    'Most visitors arrive on foot, because the road along the river is narrow.',
    'A report on the matter is available on request and is free of charge.',
    'Several neighbours have offered their help with the work in the garden.',
    'The windows on the northern side were replaced some time ago.',
    'Opinions differ, but nobody has proposed a better arrangement so far.',
    'The paths are swept every morning, also in winter.',
    'A small kitchen serves tea, soup and bread to those who wait.',
    'Photographs may be taken as long as nobody is disturbed.',
    'Further questions are answered by the staff at the entrance.',
    'The roof has been watertight since the last great storm.',
    'Schools come in the morning, and families in the afternoon.',
  ],
};
